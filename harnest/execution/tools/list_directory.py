"""The tool ``list_directory``: what is in one folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.tools import limits
from harnest.execution.tools.filesystem import Kind
from harnest.execution.tools.names import show_name
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate
from harnest.execution.tools.tool import Tool

if TYPE_CHECKING:
    from harnest.execution.tools.filesystem import Entry, Listing

__all__ = ["FOLDER", "ListOutcome", "ListTool", "shown_entry"]

FOLDER = Parameter(
    name="path",
    kind="string",
    default=".",
    description="The folder, relative to the work directory or absolute and below it.",
)
"""The folder that a tool looks into."""


def shown_entry(path: bytes, entry: Entry) -> str:
    """Return the path of an entry as a model reads it: that of a folder ends in a slash.

    Args:
        path: The path to show.
        entry: What is there.
    """
    return show_name(path + b"/" if entry.kind is Kind.FOLDER else path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOutcome:
    """The entries of a folder."""

    listing: Listing

    @property
    def text(self) -> str:
        """A line for each entry: what it is, the size of a file, its name."""
        entries = self.listing.entries
        if not entries:
            return "(empty folder)"
        lines = [_line(entry) for entry in entries[: limits.ENTRIES]]
        if len(entries) > limits.ENTRIES or not self.listing.complete:
            more = "" if self.listing.complete else "more than "
            lines.append(f"[the first {limits.ENTRIES} of {more}{len(entries)} entries]")
        return "\n".join(lines)


class ListTool(Tool):
    """Lists a folder."""

    name = "list_directory"
    parameters = (FOLDER,)
    description = (
        "List a folder, hidden entries included: for each entry file, folder, link or special, the "
        f"bytes of a file, and its name. At most {limits.ENTRIES} entries are shown. Names with "
        "control characters or bytes that are no UTF-8 come in double quotes."
    )

    async def _run(self, **arguments: Any) -> ListOutcome:
        place = locate(self.backend, arguments["path"])
        return ListOutcome(listing=await self._context.files.list(place))


def _line(entry: Entry) -> str:
    size = str(entry.size) if entry.kind is Kind.FILE else ""
    return f"{entry.kind.value:<8}{size:>12}  {shown_entry(entry.path, entry)}"
