"""The network, bounded: addresses that may be asked, one client, a cache of pages."""

from harnest_ext.sources.net.address import WebAddress
from harnest_ext.sources.net.client import Reply, WebClient
from harnest_ext.sources.net.pages import Page, PageCache

__all__ = ["Page", "PageCache", "Reply", "WebAddress", "WebClient"]
