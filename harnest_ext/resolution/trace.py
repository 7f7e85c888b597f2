"""What happened during a resolution, kept so that a refusal can be explained.

The resolver itself remembers only its last dead end, in terms of what it had tried before. Here
stands who required what, and each clash for which no release is left whatever else is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.need import Need

__all__ = ["Cause", "Clash", "DeadEnd", "TooHard", "Trace", "clash_of"]

Cause: TypeAlias = "tuple[Need, Candidate | None]"
"""A requirement and the release that states it; None for a root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Requirements on one name that no release satisfies together.

    Attributes:
        slug: The name.
        causes: The requirements and who states them, at least one, each once.
    """

    slug: Slug
    causes: tuple[Cause, ...]

    @property
    def needs(self) -> tuple[Need, ...]:
        """The requirements alone."""
        return tuple(need for need, _ in self.causes)


def clash_of(causes: Iterable[Cause]) -> Clash:
    """Return the clash that consists of these causes, all on one name."""
    unique = tuple({(need, id(parent)): (need, parent) for need, parent in causes}.values())
    return Clash(slug=unique[0][0].slug, causes=unique)


@dataclass(slots=True, kw_only=True)
class Trace:
    """Record of one resolution.

    Attributes:
        stated: For each name, every requirement on it that was met, with who states it.
        clashes: Clashes for which no release is left, in the order in which they were met.
        hopeless: Releases that can't be chosen whatever else is: the clash that their own
            requirement makes, by the identity of the release.
    """

    stated: dict[Slug, list[Cause]] = field(default_factory=dict)
    clashes: list[Clash] = field(default_factory=list)
    hopeless: dict[int, Clash] = field(default_factory=dict)

    def chain(self, cause: Cause) -> list[Cause]:
        """Return how a requirement came up: from a root down to ``cause`` itself."""
        links = [cause]
        seen: set[int] = set()
        parent = cause[1]
        while parent is not None and id(parent) not in seen:
            seen.add(id(parent))
            above = self._why(parent, seen)
            if above is None:
                break
            links.append(above)
            parent = above[1]
        return links[::-1]

    def _why(self, candidate: Candidate, seen: set[int]) -> Cause | None:
        """A requirement that the release satisfies: a root's, or else the first one met."""
        fitting = [
            (need, parent)
            for need, parent in self.stated.get(candidate.slug, ())
            if need.admits(candidate.version) and (parent is None or id(parent) not in seen)
        ]
        return next((c for c in fitting if c[1] is None), fitting[0] if fitting else None)


class DeadEnd(Exception):
    """There is no solution; carries the record of the search.

    Args:
        trace: What happened.
        causes: The requirements of the last dead end.
    """

    def __init__(self, trace: Trace, causes: Sequence[Cause]) -> None:
        super().__init__(trace, causes)
        self.trace = trace
        self.causes = tuple(causes)


class TooHard(Exception):
    """The bound on steps was reached.

    Args:
        trace: What happened.
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.trace = trace
