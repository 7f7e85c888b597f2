"""Which proxy the environment names for an address."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnest_ext.sources.net.address import WebAddress

__all__ = ["proxy_for"]


def proxy_for(address: WebAddress) -> str:
    """Return the URL of the proxy, which may hold credentials; empty for none.

    What is on this machine is reached straight.
    """
    import urllib.request  # noqa: PLC0415 - only the network pays

    if address.is_near or urllib.request.proxy_bypass(address.host):
        return ""
    proxies = urllib.request.getproxies()
    return proxies.get(address.scheme) or proxies.get("all") or ""
