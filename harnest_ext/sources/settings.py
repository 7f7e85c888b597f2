"""Where to look for extensions, as one frozen object that every source is built from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest_ext.host import Host
from harnest_ext.sources.timing import Timing

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.identity import Slug

__all__ = ["SHIPPED", "IndexSetting", "RegistrySetting", "SourceSettings", "default_cache"]

SHIPPED = "harnest"
"""What the registry that ships with the product is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrySetting:
    """One registry to look into.

    Attributes:
        name: How messages and the lock call it.
        location: A folder's absolute path, or a URL.
    """

    name: str
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSetting:
    """The package index to ask.

    Attributes:
        url: Root of its simple pages; may hold credentials, which are never shown.
        told_by: Where the setting stands, such as ``--index-url`` or ``PIP_INDEX_URL``.
    """

    url: str = field(repr=False)
    told_by: str


def default_cache() -> Path:
    """Return the folder for cached pages and wheels of the current user."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - only look-ups need it

    return user_cache_path("harnest", appauthor=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Everything that decides where a name is looked up.

    Attributes:
        shipped: Folder of the registry that ships with the product; None to leave it out.
        registries: Further registries, asked in this order.
        find_links: Folders of wheels, absolute, asked after the registries.
        index: The package index, asked last; None when none is configured.
        no_index: Whether the index is left out although one is configured.
        offline: Whether nothing may be asked over the network; caches still answer.
        index_only: Names that are taken from the index although a registry has them.
        registry_of: Names that are taken from one registry alone: name -> registry's name.
        cache: Folder for pages and wheels that came over the network; None for the user's own.
        host: What ranges stated before a download are held against.
        timing: How long servers may take.
        time_to_live: Seconds for which a kept page is taken without asking whether it changed.
        old_will_do: Whether a kept page is taken, with a warning, when its server fails.
    """

    shipped: Path | None = None
    registries: tuple[RegistrySetting, ...] = ()
    find_links: tuple[Path, ...] = ()
    index: IndexSetting | None = None
    no_index: bool = False
    offline: bool = False
    index_only: frozenset[Slug] = frozenset()
    registry_of: tuple[tuple[Slug, str], ...] = ()
    cache: Path | None = None
    host: Host = field(default_factory=Host)
    timing: Timing = field(default_factory=Timing)
    time_to_live: float = 0.0
    old_will_do: bool = False

    @property
    def asks_index(self) -> bool:
        """Whether there is a package index to ask."""
        return self.index is not None and not self.no_index
