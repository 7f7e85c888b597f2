"""From what there is to what will be loaded, in which order; nothing is imported."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from harnest_ext.errors import LoadError
from harnest_ext.host import Host
from harnest_ext.runtime import rules
from harnest_ext.runtime.checking import objections
from harnest_ext.runtime.ordering import in_order, unmet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.candidate import Candidate
    from harnest_ext.runtime.discovery import Discovery

__all__ = ["OnBroken", "Plan", "make_plan", "without"]

OnBroken = Literal["raise", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one activation will load.

    Attributes:
        extensions: In loading order.
        skipped: What is left out, with the reasons.
        tolerated: Names that may be left out when they fail; None: any may.
        notes: What a reader should know and what stops nothing.
        asked: What was to be loaded before anything failed; empty if that is ``extensions``.
    """

    extensions: tuple[Candidate, ...] = ()
    skipped: Mapping[Slug, tuple[Problem, ...]] = field(default_factory=dict)
    tolerated: frozenset[Slug] | None = frozenset()
    notes: tuple[Problem, ...] = ()
    asked: tuple[Candidate, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "skipped", MappingProxyType(dict(self.skipped)))

    @property
    def identity(self) -> tuple[tuple[str, str, str, str], ...]:
        """What makes two plans the same set, whatever of it then failed to load."""
        return tuple(candidate.identity for candidate in self.asked or self.extensions)

    def intolerable(self, skipped: Mapping[Slug, tuple[Problem, ...]]) -> list[Problem]:
        """Return the problems of what others left out of this set and this plan must not."""
        if self.tolerated is None:
            return []
        wanted = {candidate.slug for candidate in self.extensions} - self.tolerated
        return [problem for slug in sorted(wanted & skipped.keys()) for problem in skipped[slug]]


def make_plan(found: Discovery, *, on_broken: OnBroken = "raise", host: Host | None = None) -> Plan:
    """Check everything that was found and put it in order.

    Args:
        found: What there is.
        on_broken: ``raise`` refuses a project with a broken extension, ``skip`` leaves it out,
            and with it everything that requires it. What the environment alone brings is left
            out in either case, unless the project's extensions require it.
        host: The running Harnest and Python.

    Raises:
        LoadError: Something is broken and must not be skipped; holds all problems.
    """
    host = host or Host()
    broken = dict(found.broken)
    good: dict[Slug, Candidate] = {}
    for slug, candidate in found.candidates.items():
        problems = objections(candidate, host) or unmet(candidate, found.candidates, found.broken)
        if problems:
            broken[slug] = tuple(problems)
        else:
            good[slug] = candidate
    _drop_dependents(good, broken)
    order, rings = in_order(good.values())
    broken.update({slug: (problem,) for slug, problem in rings.items()})
    tolerated = found.optional if on_broken == "raise" else None
    _require_tolerable(broken, tolerated)
    return Plan(extensions=order, skipped=broken, tolerated=tolerated, notes=found.notes)


def without(plan: Plan, slug: Slug, problem: Problem) -> Plan:
    """Return the plan without an extension that failed to load and all that requires it.

    Raises:
        LoadError: One of them must not be left out.
    """
    good = {candidate.slug: candidate for candidate in plan.extensions}
    broken = {**plan.skipped, slug: (problem,)}
    good.pop(slug, None)  # one that waited for several others may have left it out before
    _drop_dependents(good, broken)
    _require_tolerable(broken, plan.tolerated)
    asked = plan.asked or plan.extensions
    return replace(plan, extensions=tuple(good.values()), skipped=broken, asked=asked)


def _require_tolerable(
    broken: Mapping[Slug, tuple[Problem, ...]], tolerated: frozenset[Slug] | None
) -> None:
    fatal = [slug for slug in sorted(broken) if tolerated is not None and slug not in tolerated]
    if fatal:
        raise LoadError(
            [problem for slug in fatal for problem in broken[slug]],
            unchanged="No extension is loaded.",
        )


def _drop_dependents(good: dict[Slug, Candidate], broken: dict[Slug, tuple[Problem, ...]]) -> None:
    while True:
        lost = {
            slug: need.slug
            for slug, candidate in good.items()
            for need in candidate.requires
            if need.slug in broken
        }
        if not lost:
            return
        for slug, need in lost.items():
            del good[slug]
            broken[slug] = (
                rules.REQUIRES_SKIPPED.problem(
                    f"The extension {slug!r} requires {need!r}, which can't be loaded.", path=slug
                ),
            )
