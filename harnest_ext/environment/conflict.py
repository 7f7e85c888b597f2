"""Why requirements have no solution: the few that exclude each other, with who states them.

Found by leaving out one after the other: what is left over at the end has no solution, and would
have one without any of its parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from harnest_ext import limits
from harnest_ext.environment import rules
from harnest_ext.errors import IncompatibleExtension
from harnest_ext.identity import normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnest_ext.environment.demands import Demand

__all__ = ["explained"]


def explained(
    demands: Sequence[Demand], said: str, solvable: Callable[[Sequence[Demand]], bool]
) -> IncompatibleExtension:
    """Return the refusal of demands that have no solution.

    Args:
        demands: All of them, those of Harnest included.
        said: What the solver said.
        solvable: Whether some of them have a solution.
    """
    named = [demand for demand in demands if _name(demand) in said]
    start = named if named and not solvable(named) else demands
    clash = _smallest(start, solvable)
    owners = list(dict.fromkeys(demand.owner for demand in clash))
    if len(owners) > 1:
        parties = f"{', '.join(owners[:-1])} and {owners[-1]}"
        message = f"The Python requirements of {parties} can't be satisfied together."
        remedy = ""
    else:
        message = f"The Python requirements of {owners[0]} can't be satisfied."
        remedy = "Check that the index has what is required, or change who requires it."
    room = limits.EXPLANATION_LINES - 2
    shown = [str(demand) for demand in clash[: room - 1]]
    if len(clash) >= room:
        shown.append(f"... and {len(clash) - room + 1} more")
    problem = rules.CONFLICT.problem(message, path=", ".join(owners), remedy=remedy)
    return IncompatibleExtension(
        replace(problem, details=(*shown, *_reason(said))),
        unchanged="Neither the environment nor the lock was changed.",
    )


def _name(demand: Demand) -> str:
    return normalized(Requirement(demand.text).name)


def _smallest(
    demands: Sequence[Demand], solvable: Callable[[Sequence[Demand]], bool]
) -> list[Demand]:
    """Leave out whole owners first, then single requirements, within the bound of trials."""
    left = list(demands)
    trials = limits.ENVIRONMENT_TRIALS
    groups: list[list[Demand]] = [
        [demand for demand in demands if demand.owner == owner]
        for owner in dict.fromkeys(demand.owner for demand in demands)
    ]
    for group in (*groups, *([demand] for demand in demands)):
        rest = [demand for demand in left if demand not in group]
        if not rest or len(rest) == len(left):
            continue
        if trials == 0:
            break
        trials -= 1
        if not solvable(rest):
            left = rest
    return left


def _reason(said: str) -> tuple[str, ...]:
    """The sentence of the solver that gives the reason, if it is short enough to help."""
    causes = [line.strip() for line in said.splitlines() if line.strip().startswith("cause:")]
    return tuple(line.removeprefix("cause:").strip() for line in causes[:1])
