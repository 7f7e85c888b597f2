"""The order in which extensions are loaded: what is needed first, ties by name."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from harnest_ext.runtime import rules

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.candidate import Candidate

__all__ = ["in_order", "unmet"]


def unmet(
    candidate: Candidate, others: Mapping[Slug, Candidate], broken: Container[Slug] = ()
) -> list[Problem]:
    """Return why an extension's requirements on others don't hold; empty if they do.

    Args:
        candidate: The extension that requires.
        others: What may be loaded, by name.
        broken: Names of what is there and can't be loaded; they are told by another rule.
    """
    problems = []
    for requirement in candidate.requires:
        found = others.get(requirement.slug)
        if found is None and requirement.slug in broken:
            continue
        if found is None:
            problems.append(
                rules.MISSING_REQUIREMENT.problem(
                    f"The extension {candidate.slug!r} requires {requirement.slug!r}, which is not "
                    "installed.",
                    path=candidate.slug,
                    expected=str(requirement),
                    remedy=f"Run 'harnest extensions install {requirement.slug}'.",
                )
            )
        elif requirement.specifier and not requirement.contains(found.version, prereleases=True):
            problems.append(
                rules.RANGE.problem(
                    f"The extension {candidate.slug!r} requires another {requirement.slug!r}.",
                    path=candidate.slug,
                    expected=str(requirement),
                    got=f"{found.slug} {found.version}",
                    remedy=f"Run 'harnest extensions upgrade {requirement.slug}'.",
                )
            )
    return problems


def in_order(
    candidates: Iterable[Candidate],
) -> tuple[tuple[Candidate, ...], dict[Slug, Problem]]:
    """Return the candidates in loading order, and a problem for each that is in or above a ring.

    Args:
        candidates: All of them; every requirement is among them.
    """
    known = {candidate.slug: candidate for candidate in candidates}
    waiting = {slug: {r.slug for r in c.requires} & known.keys() for slug, c in known.items()}
    above: dict[Slug, list[Slug]] = {slug: [] for slug in known}
    for slug, needs in waiting.items():
        for need in needs:
            above[need].append(slug)
    ready = [slug for slug, needs in waiting.items() if not needs]
    heapq.heapify(ready)
    order: list[Candidate] = []
    while ready:
        slug = heapq.heappop(ready)
        order.append(known[slug])
        for user in above[slug]:
            waiting[user].discard(slug)
            if not waiting[user]:
                heapq.heappush(ready, user)
    loaded = {candidate.slug for candidate in order}
    return tuple(order), _rings({s: n for s, n in waiting.items() if s not in loaded})


def _rings(waiting: Mapping[Slug, set[Slug]]) -> dict[Slug, Problem]:
    if not waiting:
        return {}
    seen: list[Slug] = []
    slug = min(waiting)
    while slug not in seen:
        seen.append(slug)
        slug = min(waiting[slug])
    ring = " -> ".join([*seen[seen.index(slug) :], slug])
    return {
        name: rules.CYCLE.problem(
            f"The extension {name!r} can't be loaded: its requirements form a ring.",
            path=name,
            got=ring,
        )
        for name in sorted(waiting)
    }
