"""The port through which the manager looks up names and gets the wheels of what was chosen."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.resolution.candidate import Candidate, Facts

__all__ = ["LateLookup", "LateNames", "Lookup"]


class Lookup(Protocol):
    """Whoever knows releases and can hand them out.

    A :class:`~harnest_ext.resolution.provider.CandidateProvider` with two questions more; not by
    inheritance, which would load the resolver for commands that look nothing up.
    """

    def candidates(self, slug: Slug) -> Sequence[Candidate]:
        """See ``CandidateProvider.candidates``."""

    def facts(self, candidate: Candidate) -> Facts:
        """See ``CandidateProvider.facts``."""

    def absent(self, slug: Slug) -> Problem:
        """See ``CandidateProvider.absent``."""

    def known(self) -> Collection[str]:
        """Return the names that are known without asking the network."""

    def fetch(self, candidate: Candidate) -> Path:
        """Return a local wheel with exactly the bytes that were listed.

        Raises:
            SourceError: The source did not answer, or its bytes are not those it promised.
        """


class LateLookup:
    """A lookup that is made when it is first asked: work on local folders needs none.

    Args:
        make: Makes the real one.
    """

    def __init__(self, make: Callable[[], Lookup]) -> None:
        self._make = make
        self._made: Lookup | None = None

    @property
    def _real(self) -> Lookup:
        if self._made is None:
            self._made = self._make()
        return self._made

    def known(self) -> Collection[str]:
        """See :class:`Lookup`."""
        return self._real.known()

    def candidates(self, slug: Slug) -> Sequence[Candidate]:
        """See :class:`Lookup`."""
        return self._real.candidates(slug)

    def facts(self, candidate: Candidate) -> Facts:
        """See :class:`Lookup`."""
        return self._real.facts(candidate)

    def absent(self, slug: Slug) -> Problem:
        """See :class:`Lookup`."""
        return self._real.absent(slug)

    def fetch(self, candidate: Candidate) -> Path:
        """See :class:`Lookup`."""
        return self._real.fetch(candidate)


class LateNames(Collection[str]):
    """The names that a lookup knows, asked for when somebody wants to know.

    Args:
        lookup: Who knows.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def __contains__(self, name: object) -> bool:
        return name in self._lookup.known()

    def __iter__(self) -> Iterator[str]:
        return iter(self._lookup.known())

    def __len__(self) -> int:
        return len(self._lookup.known())
