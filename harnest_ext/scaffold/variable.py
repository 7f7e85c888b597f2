"""One declared variable of a template: what it may hold and what it holds unless told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import UsageError
from harnest_ext.scaffold import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Value", "Variable"]

Value = str | tuple[str, ...]
"""What a variable holds: a text, or several where the variable is declared as a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """Declaration of one variable; values that don't match it are refused before anything is read.

    Attributes:
        name: Name in the template's files.
        help: What it is for, in one sentence.
        pattern: Regular expression that the whole of each text must match.
        choices: The only texts allowed; empty when any that match the pattern are.
        default: Value when none is given; None makes the variable required.
        many: Whether it holds several texts.
    """

    name: str
    help: str
    pattern: str
    choices: tuple[str, ...]
    default: Value | None
    many: bool

    @classmethod
    def parse(cls, name: str, table: Mapping[str, object]) -> Variable:
        """Build the declaration ``[variables.<name>]`` of a template's descriptor.

        Raises:
            ValueError: The table has a key or a value that no variable has.
        """
        unknown = set(table) - {"help", "pattern", "choices", "default", "many"}
        if unknown:
            raise ValueError(f"variable {name!r} has unknown keys: {sorted(unknown)}")
        default = table.get("default")
        return cls(
            name=name,
            help=str(table.get("help", "")),
            pattern=str(table.get("pattern", r"[^\x00-\x1f\x7f]*")),
            choices=_texts(table.get("choices", ())),
            default=default if default is None or isinstance(default, str) else _texts(default),
            many=table.get("many") is True,
        )

    def accept(self, given: Value | None) -> Value:
        """Return the value to render with.

        Args:
            given: What the user said, or None for the default.

        Raises:
            UsageError: A required value is missing, or a text is too long or doesn't match.
        """
        value = self.default if given is None else given
        if value is None:
            raise self._refusal("has no value", "")
        if self.many is isinstance(value, str):
            raise self._refusal("holds the wrong shape of value", repr(value))
        for text in (value,) if isinstance(value, str) else value:
            self._check(text)
        return value

    def _check(self, text: str) -> None:
        if len(text) > limits.TEMPLATE_VALUE_CHARACTERS:
            raise self._refusal("is too long", f"{len(text)} characters")
        if self.choices and text not in self.choices:
            raise self._refusal("is not one of the choices", text)
        if not re.fullmatch(self.pattern, text):
            raise self._refusal("does not match its pattern", text)

    def _refusal(self, reason: str, got: str) -> UsageError:
        allowed = ", ".join(self.choices) or self.pattern
        return UsageError(
            rules.VALUE.problem(
                f"The template's value {self.name!r} {reason}. {self.help}",
                path=self.name,
                expected=f"{allowed} (at most {limits.TEMPLATE_VALUE_CHARACTERS} characters)",
                got=got,
                remedy=f"Give another {self.name}.",
            )
        )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a list of texts, got {value!r}")
    return tuple(value)
