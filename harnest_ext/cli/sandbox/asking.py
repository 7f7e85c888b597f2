"""Asks the providers of the declared sandboxes what only they know, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from harnest_ext.cli.sandbox import rules
from harnest_ext.cli.sandbox.project import refusals_told
from harnest_ext.errors import HarnestExtensionError, LoadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harnest.sandbox.runtime import ManagedSandbox
    from harnest_ext.cli.output import Output
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.running import Running

__all__ = ["NOT_OFFERED", "Answer", "ask", "seconds", "tell_unasked", "unasked_shape"]

NOT_OFFERED: Final = "not offered by this provider"
_USER: Final = ""
"""On whose behalf the commands ask: no agent has an empty name."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[_T]):
    """What came of asking one provider.

    Attributes:
        sandbox: Name of the sandbox.
        provider: Name of its provider's kind.
        value: The answer; None if there is none.
        failure: Why there is none; None together with no value: the provider does not offer it.
    """

    sandbox: str
    provider: str
    value: _T | None = None
    failure: Problem | None = None


def ask(
    running: Running, names: Sequence[str], question: Callable[[ManagedSandbox], _T | None]
) -> Iterator[Answer[_T]]:
    """Yield the answer of every declared sandbox's provider, or of those that are named.

    Args:
        running: The loaded project.
        names: Sandboxes to ask; all if there are none.
        question: What to ask each of.

    Raises:
        LoadError: A named sandbox is not declared.
    """
    for name in names or (*running.catalog.declared, *running.catalog.broken):
        broken = running.catalog.broken.get(name)
        declared = running.catalog.declared.get(name)
        if broken is not None:
            yield Answer(sandbox=name, provider="", failure=broken)
        elif declared is None:
            known = ", ".join(running.catalog.declared) or "no sandbox at all"
            raise LoadError(
                rules.UNKNOWN.problem(f"The project declares no sandbox {name!r}.", got=known)
            )
        else:
            value, failure = _answer(running.pool.get(_USER, name), question)
            yield Answer(sandbox=name, provider=declared.backend, value=value, failure=failure)


def seconds(age: float | None) -> str:
    """Return an age for people."""
    if age is None:
        return "unknown"
    if age < 120:
        return f"{age:.0f} s"
    return f"{age / 60:.0f} min" if age < 7200 else f"{age / 3600:.0f} h"


def tell_unasked(output: Output, answers: Sequence[Answer[_T]], what: str) -> int:
    """Say on stderr which providers did not answer, and return 1 if one of them failed.

    Args:
        output: Where to.
        answers: What came of asking.
        what: What was asked for.
    """
    code = 0
    for answer in answers:
        if answer.failure is not None:
            output.warn(f"{answer.sandbox}: {answer.failure.message}")
            code = 1
        elif answer.value is None:
            output.note(f"{answer.sandbox}: {what} is {NOT_OFFERED} ({answer.provider}).")
    return code


def unasked_shape(answers: Sequence[Answer[_T]]) -> dict[str, object]:
    """Return the JSON shape of those that did not answer."""
    return {
        "not_offered": [a.sandbox for a in answers if a.value is None and a.failure is None],
        "failed": [
            {"sandbox": a.sandbox, "error": a.failure.to_dict()} for a in answers if a.failure
        ],
    }


def _answer(
    managed: ManagedSandbox, question: Callable[[ManagedSandbox], _T | None]
) -> tuple[_T | None, Problem | None]:
    try:
        with refusals_told():
            return question(managed), None
    except HarnestExtensionError as error:
        return None, error.problems[0]
