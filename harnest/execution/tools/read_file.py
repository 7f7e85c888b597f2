"""The tool ``read_file``: a text file, its lines numbered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harnest.execution.tools import limits
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate
from harnest.execution.tools.text import count, foreign_bytes, lines_of, refuse_binary, shown_line
from harnest.execution.tools.tool import Tool

__all__ = ["PATH", "ReadOutcome", "ReadTool"]

PATH = Parameter(
    name="path",
    kind="string",
    required=True,
    description="Path relative to the work directory, or absolute and below it. A path in double "
    'quotes is read with the escapes \\n, \\t, \\r, \\", \\\\ and \\xNN, as listings show it.',
)
"""The path of a file, as every tool takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutcome:
    """Some lines of a file.

    Attributes:
        content: The whole file.
        offset: Number of the first line shown, from 1.
        limit: Most lines shown.
    """

    content: bytes = field(repr=False)
    offset: int
    limit: int

    @property
    def text(self) -> str:
        """The lines with their numbers, and what can't be seen from them in brackets."""
        if not self.content:
            return "(empty file)"
        lines = lines_of(self.content)
        shown = lines[self.offset - 1 : self.offset - 1 + self.limit]
        windows = self._windows()
        end = b"\r" if windows else b""
        numbered = [
            f"{number:>6}\t{shown_line(line.removesuffix(end))}"
            for number, line in enumerate(shown, self.offset)
        ]
        return "\n".join([*numbered, *self._notes(len(lines), len(shown), windows=windows)])

    def _windows(self) -> bool:
        ends = self.content.count(b"\n")
        return ends > 0 and ends == self.content.count(b"\r\n")

    def _notes(self, total: int, shown: int, *, windows: bool) -> list[str]:
        last = self.offset + shown - 1
        notes = []
        if last < total:
            notes.append(
                f"[lines {self.offset} to {last} of {total}; go on with offset={last + 1}]"
            )
        elif not self.content.endswith(b"\n"):
            notes.append("[no line feed at the end of the file]")
        if windows:
            notes.append("[lines end with CR LF]")
        elif b"\r\n" in self.content:
            notes.append("[some lines end with CR LF]")
        foreign = foreign_bytes(self.content)
        if foreign:
            verb = "is" if foreign == 1 else "are"
            notes.append(f"[{count(foreign, 'byte')} {verb} no UTF-8 and shown as \ufffd]")
        return notes


class ReadTool(Tool):
    """Reads a text file."""

    name = "read_file"
    parameters = (
        PATH,
        Parameter(
            name="offset",
            kind="integer",
            default=1,
            minimum=1,
            description="Number of the first line to show, from 1.",
        ),
        Parameter(
            name="limit",
            kind="integer",
            default=limits.READ_LINES,
            minimum=1,
            description="Most lines to show.",
        ),
    )
    description = (
        "Read a text file. Each line comes behind its number and a tab; notes about the file "
        f"follow in brackets. Files of more than {limits.READ_BYTES} bytes and binary ones are "
        "refused."
    )

    async def _run(self, **arguments: Any) -> ReadOutcome:
        place = locate(self.backend, arguments["path"])
        content = await self._context.files.read(place, limits.READ_BYTES)
        refuse_binary(place.shown, content)
        total, offset = len(lines_of(content)), arguments["offset"]
        if offset > max(1, total):
            raise ValueError(f"offset {offset} is beyond the last line of {place.shown}, {total}")
        return ReadOutcome(content=content, offset=offset, limit=arguments["limit"])
