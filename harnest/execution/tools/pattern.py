"""A pattern of ``grep``, ready to be matched against lines."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from harnest.execution.tools import limits
from harnest.execution.tools.automaton import Assertion, Automaton, Step
from harnest.execution.tools.characters import Characters, variants
from harnest.execution.tools.grammar import Choice, Node, PatternError, Repeat, Sequence, parse

if TYPE_CHECKING:
    from harnest.execution.tools.automaton import Label

__all__ = ["LinePattern"]


class LinePattern:
    """A checked pattern.

    Args:
        text: The pattern, in the dialect of :mod:`~harnest.execution.tools.grammar`.
        ignore_case: Whether letters match in either case.

    Raises:
        PatternError: It is none of that dialect, or too large.
    """

    def __init__(self, text: str, *, ignore_case: bool = False) -> None:
        node = parse(text)
        self.text = text
        self.ignore_case = ignore_case
        self.literals = _literals(node, ignore_case=ignore_case)
        builder = _Builder(ignore_case=ignore_case)
        start, end = builder.state(), builder.state()
        builder.connect(node, start, end)
        self._automaton = Automaton(builder.states, start, end)
        self._needed = tuple(item.lower() if ignore_case else item for item in self.literals)

    def may_match(self, content: bytes) -> bool:
        """Say whether a text can have matching lines; False is certain, True is not.

        Args:
            content: A file's content, or a line.
        """
        if not self._needed:
            return True
        searched = content.lower() if self.ignore_case else content
        return any(item in searched for item in self._needed)

    def matches(self, line: bytes, deadline: float = math.inf) -> bool:
        """Say whether a line matches.

        Args:
            line: The line without its end; bytes that are no UTF-8 are characters of their own.
            deadline: Point of :func:`time.monotonic` at which to give up.

        Raises:
            TimeoutError: It was reached.
        """
        return self.may_match(line) and self._automaton.search(os.fsdecode(line), deadline)


class _Builder:
    """Turns a tree into states."""

    def __init__(self, *, ignore_case: bool) -> None:
        self.states: list[Step] = []
        self._ignore_case = ignore_case

    def state(self) -> int:
        if len(self.states) >= limits.PATTERN_STATES:
            raise PatternError(
                f"pattern becomes more than {limits.PATTERN_STATES} states; count less in {{m,n}}"
            )
        self.states.append(Step())
        return len(self.states) - 1

    def connect(self, node: Node, start: int, end: int) -> None:
        if isinstance(node, Characters):
            self._way(start, node.either_case() if self._ignore_case else node, end)
        elif isinstance(node, Assertion):
            self._way(start, node, end)
        elif isinstance(node, Choice):
            for part in node.parts:
                self.connect(part, start, end)
        elif isinstance(node, Sequence):
            self._row(node.parts, start, end)
        else:
            self._repeat(node, start, end)

    def _row(self, parts: tuple[Node, ...], start: int, end: int) -> None:
        here = start
        for part in parts:
            there = self.state()
            self.connect(part, here, there)
            here = there
        self._way(here, None, end)

    def _repeat(self, node: Repeat, start: int, end: int) -> None:
        here = start
        for _ in range(node.least):
            there = self.state()
            self.connect(node.part, here, there)
            here = there
        if node.most is None:
            loop = self.state()
            self._way(here, None, loop)
            self.connect(node.part, loop, loop)
            self._way(loop, None, end)
            return
        for _ in range(node.most - node.least):
            there = self.state()
            self._way(here, None, end)
            self.connect(node.part, here, there)
            here = there
        self._way(here, None, end)

    def _way(self, start: int, label: Label, end: int) -> None:
        self.states[start].ways.append((label, end))


def _literals(node: Node, *, ignore_case: bool) -> tuple[bytes, ...]:
    """Return texts one of which every matching line holds; none if there are no such texts."""
    if isinstance(node, Choice):
        found = [_literals(part, ignore_case=ignore_case) for part in node.parts]
        return tuple(dict.fromkeys(sum(found, ()))) if all(found) else ()
    if isinstance(node, Repeat):
        return _literals(node.part, ignore_case=ignore_case) if node.least else ()
    if isinstance(node, Characters):
        text = _literal(node, ignore_case=ignore_case)
        return (os.fsencode(text),) if text else ()
    if isinstance(node, Sequence):
        return _longest(node.parts, ignore_case=ignore_case)
    return ()


def _longest(parts: tuple[Node, ...], *, ignore_case: bool) -> tuple[bytes, ...]:
    options: list[tuple[bytes, ...]] = []
    run = ""
    for part in (*parts, Assertion(sign="^")):
        text = _literal(part, ignore_case=ignore_case) if isinstance(part, Characters) else ""
        run += text
        if not text:
            options += [
                (os.fsencode(run),) if run else (),
                _literals(part, ignore_case=ignore_case),
            ]
            run = ""
    # The option whose shortest text is longest leaves the fewest files to look into.
    return max(options, key=lambda texts: min(map(len, texts), default=0), default=())


def _literal(part: Characters, *, ignore_case: bool) -> str:
    """Return the character that a set stands for, if bytes can be searched for it."""
    character = part.only
    if "\ud800" <= character <= "\udc7f" or "\udd00" <= character <= "\udfff":
        return ""
    plain = character.isascii() or not ignore_case or len(variants(character)) == 1
    return character if plain else ""
