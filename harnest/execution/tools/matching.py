"""Matching lines of files, with lines around them, as far as one answer goes; blocking."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.execution.tools import limits
from harnest.execution.tools.text import is_binary, lines_of, shown_line

if TYPE_CHECKING:
    from harnest.execution.tools.pattern import LinePattern

__all__ = ["Matching"]


@dataclass(slots=True, kw_only=True)
class Matching:
    """The answer to one search, as it grows.

    Attributes:
        pattern: What lines have to match.
        context: Lines to show around each match.
        blocks: Text for each file that has matches.
        matches: How many lines match so far.
        binary: How many files were left out because they are binary.
        over: Why nothing more is looked at; empty as long as there is room.
    """

    pattern: LinePattern
    context: int
    blocks: list[str] = field(default_factory=list)
    matches: int = 0
    binary: int = 0
    over: str = ""
    _room: int = limits.GREP_BYTES
    _read: int = 0
    _deadline: float = field(default_factory=lambda: time.monotonic() + limits.SEARCH_SECONDS)

    def take(self, shown: str, content: bytes) -> None:
        """Look into one more file.

        Args:
            shown: Its path as a model reads it.
            content: Its content.
        """
        if self.over or not self.pattern.may_match(content):
            return
        if is_binary(content):
            self.binary += 1
            return
        self._read += len(content)
        lines = lines_of(content)
        try:
            hits = [
                number
                for number, line in enumerate(lines)
                if self.pattern.matches(line.removesuffix(b"\r"), self._deadline)
            ]
        except TimeoutError:
            self.over = f"stopped after {limits.SEARCH_SECONDS:.0f} seconds"
            return
        if hits:
            self._show(shown, lines, hits)
        if self._read > limits.SEARCH_BYTES:
            self.over = f"stopped after {limits.SEARCH_BYTES} bytes of files"

    def _show(self, shown: str, lines: list[bytes], hits: list[int]) -> None:
        block = [shown]
        self._room -= len(shown.encode("utf-8", "replace")) + 2
        wanted = _around(hits, self.context, len(lines))
        matching = set(hits)
        before = wanted[0]
        for number in wanted:
            row = f"{number + 1}{':' if number in matching else '-'}{shown_line(lines[number])}"
            gap = ["--"] if self.context and number > before + 1 else []
            self._room -= sum(len(text.encode("utf-8", "replace")) + 1 for text in (*gap, row))
            if self._room < 0:
                self.over = f"output cut at {limits.GREP_BYTES} bytes"
                break
            block += [*gap, row]
            self.matches += number in matching
            before = number
        if len(block) > 1:
            self.blocks.append("\n".join(block))


def _around(hits: list[int], context: int, total: int) -> list[int]:
    """Return the numbers of the lines to show, each once and in order."""
    wanted: list[int] = []
    for hit in hits:
        first = max(0, hit - context, wanted[-1] + 1 if wanted else 0)
        wanted += range(first, min(total, hit + context + 1))
    return wanted
