"""What the user should know about a choice: newer releases passed over, withdrawn ones taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext.problem import Severity
from harnest_ext.resolution import rules
from harnest_ext.resolution.eligibility import Reason
from harnest_ext.resolution.ranges import version_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.catalog import Catalog
    from harnest_ext.resolution.eligibility import Eligibility
    from harnest_ext.resolution.need import Need

__all__ = ["notes_on"]

_TOLD = frozenset(Reason) - {Reason.PRERELEASE}
"""That a pre-release was passed over is no news."""


def notes_on(
    chosen: Mapping[Slug, Candidate],
    catalog: Catalog,
    eligibility: Eligibility,
    roots: Sequence[Need],
) -> tuple[Problem, ...]:
    """Return warnings about a choice, by name; nothing is looked up for them.

    Args:
        chosen: The releases that were chosen.
        catalog: Where they were chosen from.
        eligibility: The judge that was asked.
        roots: What had to hold.
    """
    notes: list[Problem] = []
    for slug in sorted(chosen):
        candidate = chosen[slug]
        needs = [need for need in roots if need.slug == slug]
        if candidate.yanked is not None and not candidate.installed:
            notes.append(_taken(candidate))
        if not candidate.installed:
            notes.extend(_passed(candidate, catalog, eligibility, needs))
    return tuple(notes)


def _taken(candidate: Candidate) -> Problem:
    rule = rules.BY_REASON[Reason.YANKED]
    why = candidate.yanked or "no reason is given"
    problem = rule.problem(
        f"{candidate} was withdrawn by its publisher: {why}.",
        path=str(candidate.slug),
        remedy="Ask for another release unless this one is really meant.",
    )
    return replace(problem, severity=Severity.WARNING)


def _passed(
    candidate: Candidate, catalog: Catalog, eligibility: Eligibility, needs: Sequence[Need]
) -> Iterator[Problem]:
    """The newest release that fits the ranges but was passed over, if it is newer."""
    for other in catalog.ordered(candidate.slug):
        if other is candidate or version_key(other.version) <= version_key(candidate.version):
            return
        if not all(need.admits(other.version) for need in needs):
            continue
        verdict = eligibility.verdict(other, needs)
        if verdict is not None and verdict.reason in _TOLD:
            rule = rules.BY_REASON[verdict.reason]
            text = f"{other} {verdict.text}; {candidate} is taken.".replace("..", ".")
            yield replace(rule.problem(text, path=str(other.slug)), severity=Severity.WARNING)
            return
