"""What a check is, and the words that checks are written in."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import harnest
import harnest_ext
from harnest_ext.runtime.safely import type_name

if TYPE_CHECKING:
    import enum
    from collections.abc import Callable, Iterable

__all__ = [
    "Broken",
    "Check",
    "Group",
    "expect",
    "expect_in",
    "expect_raises",
    "named",
    "origin",
    "refuse",
]

_B = TypeVar("_B")
_E = TypeVar("_E", bound=BaseException)
_SHOWN = 300
_OURS = tuple(Path(module.__file__ or "").parent for module in (harnest, harnest_ext))
_LIBRARY = Path(sysconfig.get_path("stdlib"))


class Broken(AssertionError):
    """The provider broke the promise of a check; the text says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Generic[_B]):
    """One promise of the contract, and how it is tried.

    Attributes:
        name: Stable name, ``group.promise``.
        promise: What a provider promises, in one sentence.
        needs: What the provider must offer for it.
        unless: What makes the promise void where the provider offers it.
        run: Tries it; raises :class:`Broken`.
    """

    name: str
    promise: str
    needs: frozenset[enum.StrEnum]
    unless: frozenset[enum.StrEnum]
    run: Callable[[_B], None]


class Group(Generic[_B]):
    """The checks of one module, collected as they are defined.

    Args:
        name: First part of their names.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.checks: list[Check[_B]] = []

    def check(
        self, name: str, *, needs: Iterable[enum.StrEnum] = (), unless: Iterable[enum.StrEnum] = ()
    ) -> Callable[[Callable[[_B], None]], Callable[[_B], None]]:
        """Make a function a check; its docstring is the promise.

        Args:
            name: Second part of its name.
            needs: Features without which it is reported as unsupported.
            unless: Features with which it does not apply.
        """

        def collect(function: Callable[[_B], None]) -> Callable[[_B], None]:
            self.checks.append(
                Check(
                    name=f"{self._name}.{name}",
                    promise=(function.__doc__ or "").strip().splitlines()[0],
                    needs=frozenset(needs),
                    unless=frozenset(unless),
                    run=function,
                )
            )
            return function

        return collect


def expect(what: str, got: object, wanted: object) -> None:
    """Demand that a value is the wanted one.

    Raises:
        Broken: It is another; the text shows both, cut.
    """
    if got != wanted or type(got) is not type(wanted):
        raise Broken(f"{what}: expected {_shown(wanted)}, got {_shown(got)}")


def expect_in(what: str, part: str, whole: str) -> None:
    """Demand that a text holds another.

    Raises:
        Broken: It doesn't.
    """
    if part not in whole:
        raise Broken(f"{what}: expected {_shown(part)} in {_shown(whole)}")


def refuse(what: str, *, if_true: bool) -> None:
    """Demand that something is not so.

    Raises:
        Broken: It is.
    """
    if if_true:
        raise Broken(what)


def expect_raises(what: str, kind: type[_E], action: Callable[[], object]) -> _E:
    """Demand that an action raises; return the exception.

    Raises:
        Broken: It returns, or raises something else.
    """
    try:
        value = action()
    except kind as error:
        return error
    except Exception as error:  # noqa: BLE001 - whatever a provider raises is judged here
        raise Broken(f"{what}: expected {kind.__name__}, got {origin(error)}") from None
    raise Broken(f"{what}: expected {kind.__name__}, got {_shown(value)}")


def named(checks: Iterable[Check[_B]], only: Iterable[str] | None) -> tuple[Check[_B], ...]:
    """Return the checks that are to be tried.

    Args:
        checks: All of a suite.
        only: Names of checks, or beginnings of names that end in a dot; None for all.
    """
    names = None if only is None else tuple(only)
    return tuple(
        check
        for check in checks
        if names is None
        or any(
            check.name.startswith(name) if name.endswith(".") else check.name == name
            for name in names
        )
    )


def origin(error: BaseException) -> str:
    """Say what was raised and where in the subject's own code, without the message.

    Returns:
        The type, with file and line of the innermost step that is neither ours nor the standard
        library's, if there is one.
    """
    place = ""
    step = error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if not any(file.is_relative_to(folder) for folder in _OURS) and not _of_library(file):
            place = f" ({file.name}:{step.tb_lineno})"
        step = step.tb_next
    return f"{type_name(error)}{place}"


def _of_library(file: Path) -> bool:
    return file.is_relative_to(_LIBRARY) and "site-packages" not in file.parts


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
