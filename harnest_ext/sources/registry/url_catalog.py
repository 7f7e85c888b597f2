"""A registry behind a URL: its catalog ``harnest.json`` and its wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import SourceError
from harnest_ext.sources.net import WebAddress
from harnest_ext.sources.net.strict_json import strict_json
from harnest_ext.sources.registry import rules
from harnest_ext.sources.registry.reading import entry_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.resolution import Candidate
    from harnest_ext.sources.net import Page, PageCache
    from harnest_ext.sources.registry.model import RegistryEntry
    from harnest_ext.sources.wheel_store import WheelStore

__all__ = ["UrlCatalog"]

CATALOG_FILE = "harnest.json"
CATALOG_FORMAT = 1


class UrlCatalog:
    """A registry behind a URL: ``harnest.json`` and ``wheels/``.

    Args:
        url: Where it is; may hold credentials.
        pages: Keeps its catalog.
        wheels: Keeps its wheels.

    Raises:
        SourceError: ``url`` is no URL that can be asked.
    """

    def __init__(self, url: str, *, pages: PageCache, wheels: WheelStore) -> None:
        self._root = WebAddress.parse(url)
        self._pages = pages
        self._wheels = wheels
        self._told: dict[str, Mapping[str, object]] | None = None

    @property
    def location(self) -> str:
        """Its URL without credentials."""
        return self._root.url

    def slugs(self) -> list[str]:
        """Return all names of the catalog.

        Raises:
            SourceError: The registry failed.
        """
        return sorted(self._entries())

    def known(self) -> list[str]:
        """Return all names once the catalog was read, before that none."""
        return [] if self._told is None else self.slugs()

    def entry(self, slug: Slug) -> RegistryEntry | None:
        """Return what the catalog says of an extension.

        Raises:
            SourceError: The registry failed, or says it in another way than agreed.
        """
        told = self._entries().get(slug)
        return None if told is None else entry_of(told, slug, self._root.url, lenient=True)

    def wheel(self, candidate: Candidate) -> Path:
        """Return the wheel, downloaded and verified.

        Raises:
            SourceError: The registry failed, or the bytes are others.
        """
        address = self._root.below("wheels", candidate.filename)
        return self._wheels.get(candidate, address, self._root)

    def _entries(self) -> Mapping[str, Mapping[str, object]]:
        if self._told is None:
            address = self._root.below(CATALOG_FILE)
            page = self._pages.get(address, self._root, accept="application/json")
            self._told = _by_slug(page)
        return self._told


def _by_slug(page: Page) -> dict[str, Mapping[str, object]]:
    if page.missing:
        message = f"There is no {CATALOG_FILE} at this URL."
        raise SourceError(rules.NO_REGISTRY.problem(message, path=page.url))
    told = strict_json(page.body)
    if not isinstance(told, dict) or told.get("format") != CATALOG_FORMAT:
        raise SourceError(
            rules.CATALOG.problem(
                "The catalog is not in a format that is known here.",
                path=page.url,
                expected=f"format {CATALOG_FORMAT}",
                got=str(told.get("format")) if isinstance(told, dict) else type(told).__name__,
            )
        )
    entries = told.get("extensions")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        message = "The catalog has no list of extensions."
        raise SourceError(rules.CATALOG.problem(message, path=page.url))
    return {str(entry.get("slug")): entry for entry in entries}
