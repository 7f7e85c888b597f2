"""Searching a line for a pattern in time that grows with the line alone.

A pattern comes from a model and a line from whatever it works on; a matcher that tries one way
after the other could be kept busy for years by the two of them, holding up the whole process. This
one follows all ways at once, and keeps the sets of states that it has met.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from harnest.execution.tools import limits
from harnest.execution.tools.characters import Characters, is_word

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Assertion", "Automaton", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """A condition on a position in the line: ``^``, ``$``, ``b`` (edge of a word) or ``B``."""

    sign: str

    def holds(self, before: str, after: str) -> bool:
        """Say whether it holds between two characters; empty is the end of the line there."""
        if self.sign == "^":
            return not before
        if self.sign == "$":
            return not after
        return (is_word(before) != is_word(after)) == (self.sign == "b")


Label: TypeAlias = Characters | Assertion | None
"""What lets a step be taken: one of some characters, a condition, or nothing at all."""


@dataclass(slots=True, kw_only=True)
class Step:
    """A state and the steps that lead on from it.

    Attributes:
        ways: Pairs of what lets the step be taken, and the state that it leads to.
    """

    ways: list[tuple[Label, int]] = field(default_factory=list)


_Known: TypeAlias = tuple[frozenset[int], str]
"""States before the next character, and what the conditions ask of the one before."""
_STRETCH = 4096
"""Characters between two looks at the clock."""


class Automaton:
    """The states of one pattern.

    Args:
        states: All of them.
        start: Where every match begins.
        end: Where it is complete.
    """

    def __init__(self, states: list[Step], start: int, end: int) -> None:
        self._states = states
        self._start = start
        self._end = end
        self._moves: dict[_Known, dict[str, _Known | None]] = {}

    def search(self, line: str, deadline: float) -> bool:
        """Say whether the pattern matches anywhere in a line.

        Args:
            line: The line without its end.
            deadline: Point of :func:`time.monotonic` at which to give up.

        Raises:
            TimeoutError: It was reached.
        """
        known: _Known = (frozenset({self._start}), "")
        for start in range(0, len(line), _STRETCH):
            if time.monotonic() > deadline:
                raise TimeoutError
            following = self._advance(known, line[start : start + _STRETCH])
            if following is None:
                return True
            known = following
        return self._move(known, "") is None

    def _advance(self, known: _Known, text: str) -> _Known | None:
        moves = self._row(known)
        for character in text:
            try:
                following = moves[character]
            except KeyError:
                following = moves[character] = self._move(known, character)
            if following is None:
                return None
            known = following
            moves = self._row(known)
        return known

    def _row(self, known: _Known) -> dict[str, _Known | None]:
        row = self._moves.get(known)
        if row is None:
            if len(self._moves) >= limits.AUTOMATON_CACHE:
                self._moves.clear()
            row = self._moves[known] = {}
        return row

    def _move(self, known: _Known, character: str) -> _Known | None:
        """Return the states after a character, or None if the pattern is complete before it."""
        reached = self._closure(known[0], known[1], character)
        if self._end in reached:
            return None
        following = {self._start}
        for state in reached:
            for label, target in self._states[state].ways:
                if isinstance(label, Characters) and character in label:
                    following.add(target)
        # Of what is before them, conditions ask only whether it is there and part of a word.
        return frozenset(following), "a" if is_word(character) else " "

    def _closure(self, states: Iterable[int], before: str, after: str) -> set[int]:
        reached = set(states)
        todo = list(reached)
        while todo:
            for label, target in self._states[todo.pop()].ways:
                free = label is None or (
                    isinstance(label, Assertion) and label.holds(before, after)
                )
                if free and target not in reached:
                    reached.add(target)
                    todo.append(target)
        return reached
