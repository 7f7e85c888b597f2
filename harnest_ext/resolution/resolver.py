"""One question, one answer: `resolve`, and the refusals that it ends with otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import (
    ExtensionNotFound,
    HarnestExtensionError,
    IncompatibleExtension,
    InvalidExtension,
    SourceError,
)
from harnest_ext.resolution import rules
from harnest_ext.resolution.answer import Resolution, Selected
from harnest_ext.resolution.catalog import Catalog, roots_of
from harnest_ext.resolution.eligibility import Eligibility, Reason
from harnest_ext.resolution.explain import Explanation, explain
from harnest_ext.resolution.nearest import nearest_change
from harnest_ext.resolution.notes import notes_on
from harnest_ext.resolution.ranges import is_empty
from harnest_ext.resolution.rings import find_ring, installation_order
from harnest_ext.resolution.straight import walk_straight
from harnest_ext.resolution.trace import DeadEnd, TooHard

if TYPE_CHECKING:
    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.provider import CandidateProvider
    from harnest_ext.resolution.request import ResolutionRequest

__all__ = ["resolve"]


def resolve(request: ResolutionRequest, provider: CandidateProvider) -> Resolution:
    """Choose one release for every name that is needed.

    Args:
        request: What is asked, what is installed, what the host is.
        provider: Who knows releases.

    Returns:
        The choice. The same request and the same releases give the same choice.

    Raises:
        ExtensionNotFound: A name or a release that is needed is not known; kinds ``not-found``
            and ``not-an-extension``.
        IncompatibleExtension: There is no choice that satisfies everything; kinds
            ``resolution-conflict``, ``incompatible-harnest``, ``incompatible-python``, ``yanked``.
        InvalidExtension: All releases that would do are broken.
        SourceError: A source failed, or hands out nothing that it vouches for.
    """
    catalog = Catalog(request, provider)
    eligibility = Eligibility(catalog)
    _refuse_unknown(catalog)
    _refuse_empty(catalog)
    chosen = walk_straight(catalog, eligibility)
    if chosen is None:
        chosen = _searched(catalog, eligibility)
    return _answer(chosen, catalog, eligibility)


def _searched(catalog: Catalog, eligibility: Eligibility) -> dict[Slug, Candidate]:
    from harnest_ext.resolution.engine import search  # noqa: PLC0415 - it loads resolvelib

    try:
        return search(catalog, eligibility)
    except DeadEnd as dead_end:
        raise _refusal(explain(dead_end, catalog, eligibility), catalog) from None
    except TooHard:
        raise IncompatibleExtension(_too_hard()) from None


def _refuse_unknown(catalog: Catalog) -> None:
    """A typed name that nobody knows is told as such, before anything else is looked at."""
    unknown = [
        catalog.provider.absent(need.slug)
        for need in dict.fromkeys(catalog.request.wanted)
        if next(catalog.ordered(need.slug), None) is None
    ]
    if unknown:
        raise ExtensionNotFound(unknown)


def _refuse_empty(catalog: Catalog) -> None:
    """What was typed of one name and excludes every version is a conflict of its own."""
    typed: dict[Slug, list[str]] = {}
    for need in catalog.request.wanted:
        typed.setdefault(need.slug, []).append(need.specifier)
    for slug, ranges in typed.items():
        joined = ",".join(item for item in ranges if item)
        if joined and is_empty(joined):
            raise IncompatibleExtension(
                rules.EMPTY_RANGE.problem(
                    f"No version of {slug} can lie in the range that was asked for.",
                    path=str(slug),
                    got=f"{slug}{joined}",
                    remedy=nearest_change(catalog),
                )
            )


def _refusal(why: Explanation, catalog: Catalog) -> HarnestExtensionError:
    problem = why.rule.problem(
        why.message, remedy=nearest_change(catalog) or _remedy(why), path=str(why.clash.slug)
    )
    problem = replace(problem, details=why.details)
    if why.rule is rules.UNKNOWN:
        absent = catalog.provider.absent(why.clash.slug)
        return ExtensionNotFound(replace(problem, got=absent.got, expected=absent.expected))
    if why.rule is rules.NO_RELEASE:
        return ExtensionNotFound(problem)
    if why.passed and why.passed[0].problems:
        return _of_source(why, problem)
    if problem.kind == "not-found":
        return ExtensionNotFound(problem)
    return IncompatibleExtension(problem)


def _of_source(why: Explanation, problem: Problem) -> HarnestExtensionError:
    """A refusal for what a source or a check said of the release, in its own words."""
    first, *rest = why.passed[0].problems
    told = replace(first, details=(*first.details, *problem.details))
    if why.passed[0].reason is Reason.BROKEN:
        return InvalidExtension([told, *rest])
    return SourceError([told, *rest])


def _remedy(why: Explanation) -> str:
    if why.rule is not rules.CONFLICT:
        return ""
    parents = list(dict.fromkeys(str(parent) for _, parent in why.clash.causes if parent))
    return (
        "No single change of what was asked makes it work; ask the maintainers of "
        f"{', '.join(parents[:4])} for releases that accept the same {why.clash.slug}."
        if parents
        else ""
    )


def _too_hard() -> Problem:
    return rules.TOO_HARD.problem(
        "No choice was found within the bound of the search.",
        expected=f"at most {limits.RESOLUTION_ROUNDS} steps",
    )


def _answer(
    chosen: dict[Slug, Candidate], catalog: Catalog, eligibility: Eligibility
) -> Resolution:
    facts = {slug: catalog.facts(candidate) for slug, candidate in chosen.items()}
    edges = {slug: [item.slug for item in facts[slug].requires] for slug in chosen}
    ring = find_ring(edges)
    if ring:
        raise IncompatibleExtension(
            rules.RING.problem(f"Extensions require each other in a ring: {' -> '.join(ring)}.")
        )
    selected = {
        slug: Selected(
            candidate=chosen[slug],
            facts=facts[slug],
            required_by=tuple(sorted(name for name in edges if slug in edges[name])),
        )
        for slug in sorted(chosen)
    }
    notes = notes_on(chosen, catalog, eligibility, roots_of(catalog.request))
    return Resolution(selected=selected, order=installation_order(edges), notes=notes)
