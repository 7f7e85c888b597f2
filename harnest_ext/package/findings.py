"""The problems of one package, collected while it is inspected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, IncompatibleExtension, InvalidExtension
from harnest_ext.problem import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnest_ext.errors import HarnestExtensionError

__all__ = ["Findings", "failure_of"]

_INCOMPATIBLE = "incompatible-"
_DAMAGE = "zip."


class Findings:
    """Problems in the order in which they were found, at most ``limits.PROBLEMS`` of them.

    Args:
        subject: What a problem that names no path is about: the package as a whole.
    """

    __slots__ = ("_problems", "_subject")

    def __init__(self, subject: str = "") -> None:
        self._problems: list[Problem] = []
        self._subject = subject

    def add(self, problem: Problem) -> None:
        """Remember one problem, unless there are too many already."""
        if not problem.path:
            problem = replace(problem, path=self._subject)
        if len(self._problems) < limits.PROBLEMS and problem not in self._problems[-8:]:
            self._problems.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Remember several problems."""
        for problem in problems:
            self.add(problem)

    def all(self) -> tuple[Problem, ...]:
        """Return everything in the order in which it was found."""
        return tuple(self._problems)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """What refuses the package; damage first, since it explains what else is found."""
        errors = (p for p in self._problems if p.severity is Severity.ERROR)
        return tuple(sorted(errors, key=lambda p: not p.rule.startswith(_DAMAGE)))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is only pointed out."""
        return tuple(p for p in self._problems if p.severity is not Severity.ERROR)

    def failure(self) -> HarnestExtensionError | None:
        """Return the error that holds everything which refuses the package; None if nothing."""
        return failure_of(self.errors)


def failure_of(problems: Iterable[Problem]) -> HarnestExtensionError | None:
    """Return the error that holds the problems which refuse; None if none does.

    A package whose only faults are ranges that exclude this host is incompatible; any other fault
    makes it invalid.
    """
    errors = tuple(problem for problem in problems if problem.severity is Severity.ERROR)
    if not errors:
        return None
    if errors[0].kind == "not-found":
        return ExtensionNotFound(errors)
    if all(problem.kind.startswith(_INCOMPATIBLE) for problem in errors):
        return IncompatibleExtension(errors)
    return InvalidExtension(errors)
