"""The tool ``write_file``: a whole text file, new or replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harnest.execution.tools import limits
from harnest.execution.tools.filesystem import Writing
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate
from harnest.execution.tools.read_file import PATH
from harnest.execution.tools.text import content_of, count, lines_of
from harnest.execution.tools.tool import Tool

__all__ = ["WriteOutcome", "WriteTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOutcome:
    """What was written.

    Attributes:
        shown: The path as a model reads it.
        created: Whether the file is new.
        size: Its bytes.
        lines: Its lines.
    """

    shown: str
    created: bool
    size: int
    lines: int

    @property
    def text(self) -> str:
        """What happened, and how much was written."""
        verb = "Created" if self.created else "Replaced"
        return f"{verb} {self.shown}: {count(self.size, 'byte')}, {count(self.lines, 'line')}"


class WriteTool(Tool):
    """Writes a text file."""

    name = "write_file"
    parameters = (
        PATH,
        Parameter(
            name="content", kind="string", required=True, description="All of the file, as text."
        ),
    )
    description = (
        "Write a whole text file at once. A file that exists is replaced and keeps its "
        f"permissions; missing folders are made. At most {limits.WRITE_BYTES} bytes. Use edit_file "
        "to change a part."
    )

    async def _run(self, **arguments: Any) -> WriteOutcome:
        content = content_of("content", arguments["content"])
        place = locate(self.backend, arguments["path"], write=True)
        async with self._context.writing(place):
            created = await self._context.files.write(place, content, Writing.EITHER)
        return WriteOutcome(
            shown=place.shown, created=created, size=len(content), lines=len(lines_of(content))
        )
