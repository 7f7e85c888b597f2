"""The arguments that a tool takes: a JSON schema for the model, and checks of what it sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Parameter", "checked", "schema_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument.

    Attributes:
        name: Its name.
        kind: Its JSON type.
        description: What the model is told about it.
        required: Whether it has to be given.
        default: What it is when it is left out, or null.
        minimum: Least value of an integer.
        maximum: Largest value of an integer.
        choices: The texts that it may be; empty for any.
    """

    name: str
    kind: Literal["string", "integer", "boolean"]
    description: str
    required: bool = False
    default: str | int | bool | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of its value."""
        found: dict[str, Any] = {"type": self.kind, "description": self.description}
        if self.default is not None:
            found["default"] = self.default
        if self.minimum is not None:
            found["minimum"] = self.minimum
        if self.maximum is not None:
            found["maximum"] = self.maximum
        if self.choices:
            found["enum"] = list(self.choices)
        return found

    def check(self, value: object) -> str | int | bool | None:
        """Return a value that came from a model.

        Args:
            value: What it sent.

        Raises:
            ValueError: It is none that this parameter takes.
        """
        if value is None and not self.required:
            return self.default
        if self.kind == "integer":
            return self._number(value)
        expected = str if self.kind == "string" else bool
        if not isinstance(value, expected):
            raise ValueError(f"{self.name} must be a {self.kind}, not {type(value).__name__}")  # noqa: TRY004 - what a model sends wrongly is a value, as every other fault of it
        if self.choices and value not in self.choices:
            raise ValueError(f"{self.name} must be one of {', '.join(self.choices)}")
        return value

    def _number(self, value: object) -> int:
        # JSON knows one kind of number: some frameworks hand 5 over as 5.0.
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{self.name} must be an integer, not {type(value).__name__}")  # noqa: TRY004 - as above
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"{self.name} must be at least {self.minimum}, not {value}")
        if self.maximum is not None and value > self.maximum:
            raise ValueError(f"{self.name} must be at most {self.maximum}, not {value}")
        return value


def schema_of(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments: an object with nothing beside them.

    Args:
        parameters: The tool's parameters.
    """
    return {
        "type": "object",
        "properties": {item.name: item.schema() for item in parameters},
        "required": [item.name for item in parameters if item.required],
        "additionalProperties": False,
    }


def checked(parameters: Sequence[Parameter], arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return a value for every parameter.

    Args:
        parameters: The tool's parameters.
        arguments: What a model sent.

    Raises:
        ValueError: One is missing, unknown or wrong; the message names it.
    """
    known = {item.name for item in parameters}
    unknown = [name for name in arguments if name not in known]
    if unknown:
        raise ValueError(
            f"there is no argument {unknown[0]!r}; there are {', '.join(sorted(known))}"
        )
    missing = [p.name for p in parameters if p.required and arguments.get(p.name) is None]
    if missing:
        raise ValueError(f"the argument {missing[0]!r} is missing")
    return {item.name: item.check(arguments.get(item.name)) for item in parameters}
