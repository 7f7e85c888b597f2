"""Where packages come from: what was typed, registries, folders of wheels, the package index."""

from harnest_ext.sources.argument import FolderSource, Source, WheelSource, classify
from harnest_ext.sources.name import NamedSource

__all__ = ["FolderSource", "NamedSource", "Source", "WheelSource", "classify"]
