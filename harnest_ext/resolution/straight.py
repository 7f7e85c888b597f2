"""The choice where nothing clashes: one walk from the roots, in the order in which a search goes.

Most requests have no conflict in them, and then there is nothing to search: each name in turn gets
its most preferred release. The walk gives up at the first requirement that what was chosen before
does not satisfy; up to there it takes exactly the steps of the search that begins anew then, so
that both give the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.resolution.catalog import roots_of
from harnest_ext.resolution.need import Need

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.catalog import Catalog
    from harnest_ext.resolution.eligibility import Eligibility

__all__ = ["fitting", "needs_of", "walk_straight"]


def fitting(
    catalog: Catalog, eligibility: Eligibility, slug: Slug, needs: Sequence[Need]
) -> Iterator[Candidate]:
    """Yield the releases of a name that these requirements leave, the preferred first.

    Raises:
        SourceError: A source failed.
    """
    for candidate in catalog.ordered(slug):
        admitted = all(need.admits(candidate.version) for need in needs)
        if admitted and eligibility.verdict(candidate, needs) is None:
            yield candidate


def needs_of(catalog: Catalog, candidate: Candidate) -> list[Need]:
    """Return what a release requires of other extensions, in a fixed order.

    Raises:
        InvalidExtension: It is no valid package.
        SourceError: Its source failed.
    """
    return [Need(requirement=item) for item in sorted(catalog.facts(candidate).requires, key=str)]


def walk_straight(catalog: Catalog, eligibility: Eligibility) -> dict[Slug, Candidate] | None:
    """Return one release for each name that is needed; None when something clashes.

    Args:
        catalog: What there is to choose from, and the request.
        eligibility: Which releases come into question.

    Raises:
        SourceError: A source failed.
    """
    walk = _Walk(catalog, eligibility)
    if not walk.add(roots_of(catalog.request)):
        return None
    while walk.open:
        slug = min(walk.open, key=walk.preference)
        candidate = walk.choose(slug)
        if len(walk.chosen) > limits.RESOLUTION_ROUNDS:
            return None
        if not walk.add(needs_of(catalog, candidate)):
            return None
    return walk.chosen


class _Walk:
    """Where the walk is.

    Attributes:
        chosen: The releases chosen so far.
        open: Of each name that is needed and not chosen, the release that it will get.
    """

    def __init__(self, catalog: Catalog, eligibility: Eligibility) -> None:
        self._catalog = catalog
        self._eligibility = eligibility
        self._needs: dict[Slug, list[Need]] = {}
        self.chosen: dict[Slug, Candidate] = {}
        self.open: dict[Slug, Candidate] = {}

    def add(self, needs: Sequence[Need]) -> bool:
        """Take requirements over; False when one of them can't be met from here."""
        return all(map(self._added, needs))

    def preference(self, slug: Slug) -> tuple[bool, str]:
        """What is fixed to one version first, then by name."""
        fixed = any("==" in need.requirement.specifier for need in self._needs[slug])
        return (not fixed, slug)

    def choose(self, slug: Slug) -> Candidate:
        """Settle an open name."""
        self.chosen[slug] = self.open.pop(slug)
        return self.chosen[slug]

    def _added(self, need: Need) -> bool:
        slug = need.slug
        known = self._needs.setdefault(slug, [])
        known.append(need)
        if slug in self.chosen:
            return need.admits(self.chosen[slug].version)
        first = next(fitting(self._catalog, self._eligibility, slug, known), None)
        if first is None:
            return False
        self.open[slug] = first
        return True
