"""Expressions of the sandbox profile language, a Scheme: lists, symbols and quoted texts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Text", "expression", "rule"]

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Text:
    """A text as a value, such as a path; everything else in an expression is a symbol.

    Attributes:
        value: The text; bytes of a path that are no UTF-8 are surrogates, as in
            :func:`os.fsdecode`.

    Raises:
        ValueError: It holds a NUL, which no path and no profile can hold.
    """

    value: str

    def __post_init__(self) -> None:
        if "\0" in self.value:
            raise ValueError("a text in a profile can't hold a NUL character")

    def __str__(self) -> str:
        return '"' + "".join(map(_quoted, self.value)) + '"'


def expression(*parts: Text | str | tuple[Text | str, ...]) -> str:
    """Return a list of symbols, texts and lists as one line of a profile."""
    written = (expression(*part) if isinstance(part, tuple) else str(part) for part in parts)
    return "(" + " ".join(written) + ")"


def rule(*parts: Text | str | tuple[Text | str, ...]) -> str:
    """Return an expression with each list in it on a line of its own."""
    head = [part for part in parts if not isinstance(part, tuple)]
    lists = (expression(*part) for part in parts if isinstance(part, tuple))
    return "\n  ".join(["(" + " ".join(map(str, head)), *lists]) + ")"


def _quoted(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if ord(character) < 0x20 or ord(character) == 0x7F:
        return f"\\x{ord(character):02x}"
    return character
