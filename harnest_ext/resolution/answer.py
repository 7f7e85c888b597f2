"""What the resolver found: one release for each name, and in which order to install them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.resolution.candidate import Candidate, Facts

__all__ = ["Resolution", "Selected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """One release that was chosen.

    Attributes:
        candidate: The release; ``candidate.installed`` tells that it is there already.
        facts: What it demands.
        required_by: Names of the chosen extensions that require it, sorted.
    """

    candidate: Candidate
    facts: Facts
    required_by: tuple[Slug, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The answer.

    Attributes:
        selected: The chosen release of every name that is needed, what is installed included.
        order: Those names, each after everything that it requires; ties by name.
        notes: What the user should know: releases that were passed over, withdrawn ones taken.
    """

    selected: Mapping[Slug, Selected]
    order: tuple[Slug, ...]
    notes: tuple[Problem, ...] = ()
