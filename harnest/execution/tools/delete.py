"""The tool ``delete``: a file, a link or a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harnest.execution.tools.filesystem import Kind
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate_itself
from harnest.execution.tools.read_file import PATH
from harnest.execution.tools.text import count
from harnest.execution.tools.tool import Tool

__all__ = ["DeleteOutcome", "DeleteTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteOutcome:
    """What was removed.

    Attributes:
        shown: The path as a model reads it.
        kind: What it was.
        size: Bytes of a file.
        recursive: Whether everything in a folder went with it.
    """

    shown: str
    kind: Kind
    size: int
    recursive: bool

    @property
    def text(self) -> str:
        """What was removed."""
        if self.kind is Kind.FILE:
            return f"Deleted the file {self.shown} ({count(self.size, 'byte')})"
        if self.kind is Kind.LINK:
            return f"Deleted the link {self.shown}; what it led to stays"
        if self.kind is Kind.SPECIAL:
            return f"Deleted the pipe, socket or device {self.shown}"
        everything = " and everything in it" if self.recursive else ""
        return f"Deleted the folder {self.shown}{everything}"


class DeleteTool(Tool):
    """Removes an entry."""

    name = "delete"
    parameters = (
        PATH,
        Parameter(
            name="recursive",
            kind="boolean",
            default=False,
            description="Delete a folder with everything in it; otherwise it must be empty.",
        ),
    )
    description = (
        "Delete a file, a link (not what it leads to) or a folder. The work directory itself "
        "stays. Nothing brings back what was deleted."
    )

    async def _run(self, **arguments: Any) -> DeleteOutcome:
        place = locate_itself(self.backend, arguments["path"])
        recursive = arguments["recursive"]
        async with self._context.writing(place):
            entry = await self._context.files.remove(place, recursive=recursive)
        return DeleteOutcome(
            shown=place.shown, kind=entry.kind, size=entry.size, recursive=recursive
        )
