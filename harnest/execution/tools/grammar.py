r"""Reading a pattern of ``grep``: its text becomes a tree.

The dialect is what lines can be chosen by in common: characters, ``.``, ``[...]`` with ranges and
classes, ``\d \w \s \D \W \S``, ``^ $ \b \B``, groups, ``|``, ``* + ?`` and ``{m,n}``, each also
with a ``?`` behind it. Nothing refers back, looks ahead or looks behind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from harnest.execution.tools import limits
from harnest.execution.tools.automaton import Assertion
from harnest.execution.tools.characters import CLASSES, Characters

__all__ = ["Choice", "Node", "PatternError", "Repeat", "Sequence", "parse"]

_COUNT = re.compile(r"\{(?=,?[0-9])([0-9]*)(?:(,)([0-9]*))?\}")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
_POSIX = re.compile(r"\[:([a-z]+):\]")
_SIGNS = {"b": "b", "B": "B", "A": "^", "Z": "$", "z": "$"}
_CONTROL = {"t": "\t", "f": "\f", "v": "\v", "r": "\r", "a": "\a", "e": "\x1b"}
_POSIX_RANGES = {
    "alpha": ("AZ", "az"),
    "digit": ("09",),
    "alnum": ("AZ", "az", "09"),
    "upper": ("AZ",),
    "lower": ("az",),
    "space": ("\t\r", "  "),
    "blank": ("\t\t", "  "),
    "xdigit": ("09", "AF", "af"),
    "punct": ("!/", ":@", "[`", "{~"),
}


class PatternError(ValueError):
    """A pattern is none of this dialect; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times; ``most`` is None without a bound."""

    part: Node
    least: int
    most: int | None


Node: TypeAlias = Characters | Assertion | Sequence | Choice | Repeat


def parse(text: str) -> Node:
    """Return the tree of a pattern.

    Args:
        text: The pattern.

    Raises:
        PatternError: It is none of this dialect.
    """
    if not text or len(text) > limits.PATTERN_CHARACTERS:
        raise PatternError(f"pattern must have 1 to {limits.PATTERN_CHARACTERS} characters")
    if "\n" in text or "\0" in text:
        raise PatternError("pattern must hold no line feed and no NUL: it is matched line by line")
    reader = _Reader(text)
    node = reader.choice(0)
    if not reader.over:
        raise reader.wrong("there is no group to close")
    return node


class _Reader:
    """A position in the text of a pattern."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @property
    def over(self) -> bool:
        return self._at >= len(self._text)

    def wrong(self, why: str) -> PatternError:
        return PatternError(f"pattern {self._text!r}, character {self._at + 1}: {why}")

    def choice(self, depth: int) -> Node:
        if depth > limits.PATTERN_NESTING:
            raise self.wrong(f"groups are nested more than {limits.PATTERN_NESTING} deep")
        parts = [self._sequence(depth)]
        while self._taken("|"):
            parts.append(self._sequence(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self, depth: int) -> Node:
        parts = []
        while not self.over and self._text[self._at] not in "|)":
            parts.append(self._repeated(self._atom(depth)))
        return Sequence(tuple(parts))

    def _repeated(self, part: Node) -> Node:
        count = self._count()
        if count is None:
            return part
        if isinstance(part, Assertion):
            raise self.wrong("a condition can't be repeated")
        self._taken("?")  # the shortest match is on the same lines as the longest
        if not self.over and (self._text[self._at] in "*+?" or self._counted()):
            raise self.wrong("a repetition can't be repeated: put it in a group")
        return Repeat(part, *count)

    def _counted(self) -> re.Match[str] | None:
        return _COUNT.match(self._text, self._at)

    def _count(self) -> tuple[int, int | None] | None:
        for sign, count in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._taken(sign):
                return count
        match = self._counted()
        if match is None:
            return None
        least = int(match[1] or 0)
        most = least if not match[2] else int(match[3]) if match[3] else None
        if max(least, most or 0) > limits.REPETITIONS or (most is not None and most < least):
            raise self.wrong(f"a repetition counts up, to {limits.REPETITIONS} at most")
        self._at = match.end()
        return least, most

    def _atom(self, depth: int) -> Node:
        sign = self._next()
        if sign == "(":
            return self._group(depth)
        if sign == "[":
            return self._set()
        if sign == "\\":
            return self._escape()
        if sign == ".":
            return Characters(inverted=True)
        if sign in "^$":
            return Assertion(sign=sign)
        if sign in "*+?":
            self._at -= 1
            raise self.wrong(f"there is nothing to repeat; write \\{sign} for the character")
        return Characters.single(sign)

    def _group(self, depth: int) -> Node:
        if self._taken("?") and not self._taken(":"):
            raise self.wrong("only (...) and (?:...) are groups here, nothing looks around")
        node = self.choice(depth + 1)
        if not self._taken(")"):
            raise self.wrong("a group is not closed; write \\( for the character")
        return node

    def _escape(self) -> Node:
        match = _HEX.match(self._text, self._at)
        if match:
            self._at = match.end()
            return Characters.single(chr(int(match[1] or match[2], 16)))
        sign = self._next()
        if sign in CLASSES:
            return CLASSES[sign]
        if sign in _SIGNS:
            return Assertion(sign=_SIGNS[sign])
        return Characters.single(self._plain(sign))

    def _plain(self, sign: str) -> str:
        if sign in _CONTROL:
            return _CONTROL[sign]
        if sign.isalnum():
            raise self.wrong(f"\\{sign} has no meaning here; nothing refers back to a group")
        return sign

    def _set(self) -> Characters:
        inverted = self._taken("^")
        ranges: list[tuple[str, str]] = []
        classes = ""
        first = True
        while first or not self._taken("]"):
            first = False
            posix = _POSIX.match(self._text, self._at)
            if posix:
                ranges += self._posix(posix)
            elif self._text[self._at : self._at + 1] == "\\" and self._class():
                classes += self._text[self._at - 1]
            else:
                ranges.append(self._range())
        return Characters(ranges=tuple(ranges), classes=classes, inverted=inverted)

    def _posix(self, match: re.Match[str]) -> list[tuple[str, str]]:
        if match[1] not in _POSIX_RANGES:
            raise self.wrong(f"there is no class [:{match[1]}:]")
        self._at = match.end()
        return [(pair[0], pair[1]) for pair in _POSIX_RANGES[match[1]]]

    def _class(self) -> bool:
        if self._text[self._at + 1 : self._at + 2] not in {*CLASSES}:
            return False
        self._at += 2
        return True

    def _range(self) -> tuple[str, str]:
        first = self._member()
        rest = self._text[self._at : self._at + 2]
        if not rest.startswith("-") or rest == "-]":
            return first, first
        self._at += 1
        last = self._member()
        if last < first:
            raise self.wrong(f"the range {first}-{last} runs backwards")
        return first, last

    def _member(self) -> str:
        sign = self._next("a set is not closed; write \\[ for the character")
        if sign != "\\":
            return sign
        match = _HEX.match(self._text, self._at)
        if match:
            self._at = match.end()
            return chr(int(match[1] or match[2], 16))
        return self._plain(self._next())

    def _next(self, missing: str = "something is missing at the end") -> str:
        if self.over:
            raise self.wrong(missing)
        self._at += 1
        return self._text[self._at - 1]

    def _taken(self, sign: str) -> bool:
        found = self._text.startswith(sign, self._at)
        self._at += len(sign) if found else 0
        return found
