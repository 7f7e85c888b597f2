"""A registry as a source of releases: what it says is all that choosing needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.resolution import Candidate, Facts, Origin, OriginKind
from harnest_ext.sources.wheel_name import WheelName

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.sources.registry.catalog import Catalog
    from harnest_ext.sources.registry.model import RegistryRelease

__all__ = ["Registry"]


class Registry:
    """The releases of a catalog.

    Args:
        catalog: Where its entries and wheels are.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._stated: dict[str, RegistryRelease] = {}

    @property
    def origin(self) -> Origin:
        """The registry by its name or place."""
        return Origin(kind=OriginKind.REGISTRY, location=self.catalog.location)

    def names(self) -> list[str]:
        """Return the extensions that it knows, as far as that needs no network."""
        return self.catalog.known()

    def releases(self, slug: Slug) -> list[Candidate] | None:
        """Return the releases that the registry lists; None when it does not know the name.

        Raises:
            SourceError: The registry failed, or its entry is broken.
        """
        entry = self.catalog.entry(slug)
        return None if entry is None else [self._candidate(slug, r) for r in entry.releases]

    def facts(self, candidate: Candidate) -> Facts:
        """Return what the registry says that a release demands."""
        release = self._stated[candidate.filename]
        return Facts(
            requires=release.requirements(),
            host_range=release.host or None,
            requires_python=release.python or None,
        )

    def fetch(self, candidate: Candidate) -> Path:
        """Return the wheel, verified.

        Raises:
            SourceError: The registry failed, or the bytes are others.
        """
        return self.catalog.wheel(candidate)

    def _candidate(self, slug: Slug, release: RegistryRelease) -> Candidate:
        self._stated[release.file] = release
        name = WheelName.parse(release.file)
        return Candidate(
            slug=slug,
            version=release.version,
            origin=self.origin,
            filename=release.file,
            link=release.file,
            sha256=release.sha256,
            size=release.size,
            build=name.build if name else (0, ""),
            requires_python=release.python or None,
            host_range=release.host or None,
            yanked=release.yanked,
        )
