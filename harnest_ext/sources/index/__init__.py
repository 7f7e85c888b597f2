"""The package index: its pages (PEP 691 and PEP 503), its configuration, its releases."""

from harnest_ext.sources.index.configured import configured_index
from harnest_ext.sources.index.index import PackageIndex

__all__ = ["PackageIndex", "configured_index"]
