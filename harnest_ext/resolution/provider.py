"""The port through which the resolver learns which releases there are and what they demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.resolution.candidate import Candidate, Facts

__all__ = ["CandidateProvider"]


class CandidateProvider(Protocol):
    """Whoever knows releases."""

    def candidates(self, slug: Slug) -> Sequence[Candidate]:
        """Return every release of an extension, in any order; empty when there is none.

        All of them come from the one source that the name is taken from.

        Raises:
            SourceError: The source did not answer, or answered against its protocol.
        """

    def facts(self, candidate: Candidate) -> Facts:
        """Return what one of those releases demands.

        Raises:
            InvalidExtension: The release is no valid package; the resolver passes over it.
            SourceError: The source did not answer, or its bytes are not those it promised.
        """

    def absent(self, slug: Slug) -> Problem:
        """Return what to tell of a name that has no release: where it was looked for, close names.

        Its kind is ``not-found`` or ``not-an-extension``.
        """
