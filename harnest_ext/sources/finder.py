"""Looks names up, place by place, in a fixed order; the first place that has a name decides.

The order is: the registry that ships with the product, further registries, folders of wheels, the
package index. A name that an earlier place owns is never taken from a later one, so that nobody can
take over a name by uploading it to an index with a higher version; who wants the index's all the
same names it as one that comes from the index only.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound
from harnest_ext.sources import rules
from harnest_ext.sources.find_links import FindLinks
from harnest_ext.sources.registry import FolderCatalog, Registry
from harnest_ext.sources.settings import SHIPPED, default_cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.resolution import Candidate, Facts, Origin
    from harnest_ext.sources.index.index import PackageIndex
    from harnest_ext.sources.net import PageCache, WebClient
    from harnest_ext.sources.settings import RegistrySetting, SourceSettings
    from harnest_ext.sources.source import ReleaseSource
    from harnest_ext.sources.wheel_store import WheelStore

__all__ = ["Finder"]


class Finder:
    """Knows every release that the settings lead to, and hands out its wheel; for one thread.

    Nothing is read or asked before it is needed.

    Args:
        settings: Where to look.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self._source_of: dict[Origin, ReleaseSource] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; wheels that could not be kept in the cache are gone.

        The cache is brought within its bounds if something was added to it.
        """
        if "_client" in self.__dict__:
            self._client.close()
        if "_pages" in self.__dict__:
            self._pages.close()
        if "_wheels" in self.__dict__:
            self._wheels.close()

    def known(self) -> frozenset[str]:
        """Return the names that are known without asking the network.

        Raises:
            SourceError: A folder can't be listed.
        """
        local: list[ReleaseSource] = [*self._registries.values(), *self._find_links]
        return frozenset(name for source in local for name in source.names())

    def candidates(self, slug: Slug) -> Sequence[Candidate]:
        """Return all releases of a name in the first place that has it; empty when none does.

        Raises:
            SourceError: A place failed before the name was found.
            ExtensionNotFound: The registry that it is to come from is not configured.
        """
        for source in self.places(slug):
            found = source.releases(slug)
            if found is not None:
                self._source_of[source.origin] = source
                return found
        return ()

    def facts(self, candidate: Candidate) -> Facts:
        """Return what a release demands that :meth:`candidates` returned.

        Raises:
            InvalidExtension: It is no valid package.
            SourceError: Its place failed, or its bytes are not those that were promised.
        """
        return self._source_of[candidate.origin].facts(candidate)

    def fetch(self, candidate: Candidate) -> Path:
        """Return the wheel of a release that :meth:`candidates` returned, verified.

        Raises:
            SourceError: Its place failed, or its bytes are not those that were promised.
        """
        return self._source_of[candidate.origin].fetch(candidate)

    def absent(self, slug: Slug) -> Problem:
        """Return what to tell of a name that no place has."""
        from harnest_ext.sources.absence import absence  # noqa: PLC0415 - only a refusal needs it

        looked = [str(source.origin) for source in self.places(slug)]
        return absence(slug, self.known(), looked, self.index)

    @property
    def registries(self) -> tuple[Registry, ...]:
        """All registries, in the order in which they are asked."""
        return tuple(self._registries.values())

    @property
    def index(self) -> PackageIndex | None:
        """The package index, if one is to be asked.

        Raises:
            SourceError: Its URL can't be asked.
        """
        return self._index if self._settings.asks_index else None

    @property
    def stale(self) -> tuple[str, ...]:
        """URLs that could not be asked and for which an older answer was taken."""
        return tuple(self._pages.stale) if "_pages" in self.__dict__ else ()

    def places(self, slug: Slug) -> Iterator[ReleaseSource]:
        """Yield the places where a name is looked up, in order.

        Raises:
            SourceError: The URL of one can't be asked.
            ExtensionNotFound: The registry that it is to come from is not configured.
        """
        only = dict(self._settings.registry_of).get(slug)
        if only is not None:
            yield self._named(only)
            return
        if slug not in self._settings.index_only:
            yield from self._registries.values()
            yield from self._find_links
        if self.index is not None:
            yield self.index

    @cached_property
    def _registries(self) -> dict[str, Registry]:
        made = {setting.name: self._registry(setting) for setting in self._settings.registries}
        shipped = self._settings.shipped
        if shipped is None:
            return made
        return {SHIPPED: Registry(FolderCatalog(shipped, SHIPPED)), **made}

    def _registry(self, setting: RegistrySetting) -> Registry:
        if "://" in setting.location:
            from harnest_ext.sources.registry.url_catalog import (  # noqa: PLC0415 - few are
                UrlCatalog,
            )

            catalog = UrlCatalog(setting.location, pages=self._pages, wheels=self._wheels)
            return Registry(catalog)
        return Registry(FolderCatalog(Path(setting.location)))

    def _named(self, name: str) -> Registry:
        if name not in self._registries:
            raise ExtensionNotFound(
                rules.REGISTRY_NAME.problem(
                    f"No registry is called '{name}'.",
                    path=name,
                    expected=", ".join(self._registries),
                )
            )
        return self._registries[name]

    @cached_property
    def _find_links(self) -> tuple[FindLinks, ...]:
        return tuple(map(FindLinks, self._settings.find_links))

    @cached_property
    def _index(self) -> PackageIndex:
        from harnest_ext.sources.index.index import (  # noqa: PLC0415 - most names need none
            PackageIndex,
        )

        if self._settings.index is None:
            raise AssertionError("asks_index says that there is one")
        return PackageIndex(
            self._settings.index.url,
            client=self._client,
            pages=self._pages,
            wheels=self._wheels,
            host=self._settings.host,
        )

    @cached_property
    def _client(self) -> WebClient:
        from harnest_ext.sources.net import WebClient  # noqa: PLC0415 - likewise

        return WebClient(offline=self._settings.offline, timing=self._settings.timing)

    @cached_property
    def _pages(self) -> PageCache:
        from harnest_ext.sources.net import PageCache  # noqa: PLC0415 - likewise

        return PageCache(
            self._client,
            self._settings.cache or default_cache(),
            time_to_live=self._settings.time_to_live,
            old_will_do=self._settings.old_will_do,
        )

    @cached_property
    def _wheels(self) -> WheelStore:
        from harnest_ext.sources.wheel_store import WheelStore  # noqa: PLC0415 - likewise

        return WheelStore(self._client, self._settings.cache or default_cache())
