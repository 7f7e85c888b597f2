"""Registries: catalogs of known releases, as data in a folder or behind a URL."""

from harnest_ext.sources.registry.catalog import FolderCatalog
from harnest_ext.sources.registry.source import Registry

__all__ = ["FolderCatalog", "Registry"]
