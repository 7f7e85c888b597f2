"""One place where names are looked up, as a port: a registry, a folder of wheels, an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.resolution import Candidate, Facts, Origin

__all__ = ["ReleaseSource"]


class ReleaseSource(Protocol):
    """A place that has releases."""

    @property
    def origin(self) -> Origin:
        """What the lock records of it."""

    def releases(self, slug: Slug) -> Sequence[Candidate] | None:
        """Return all releases of a name, in any order; None when the name is not there.

        Raises:
            SourceError: The place can't be read or asked, or answers against its protocol.
        """

    def facts(self, candidate: Candidate) -> Facts:
        """Return what one of its releases demands.

        Raises:
            InvalidExtension: The release is no valid package.
            SourceError: The place failed.
        """

    def fetch(self, candidate: Candidate) -> Path:
        """Return a local wheel with the bytes that the place promised.

        Raises:
            SourceError: The place failed, or the bytes are others.
        """

    def names(self) -> Collection[str]:
        """Return names that it knows, as far as that needs no network; for close matches."""
