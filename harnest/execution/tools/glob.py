"""The tool ``glob``: paths that match a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.tools import limits
from harnest.execution.tools.filesystem import Kind, Search
from harnest.execution.tools.list_directory import FOLDER, shown_entry
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate
from harnest.execution.tools.tool import Tool
from harnest.execution.tools.wildcards import GlobPattern

if TYPE_CHECKING:
    from harnest.execution.tools.filesystem import Entry

__all__ = ["HIDDEN", "GlobOutcome", "GlobTool", "walk_notes"]

HIDDEN = Parameter(
    name="hidden",
    kind="boolean",
    default=False,
    description="Whether wildcards also match names that begin with a dot.",
)
"""Whether hidden names count."""


def walk_notes(*, complete: bool, readable: bool, deep: bool) -> list[str]:
    """Return what has to be said about a walk that did not see everything.

    Args:
        complete: Whether it stayed within its bounds.
        readable: Whether everything could be read.
        deep: Whether there is more below the deepest level.
    """
    notes = []
    if not complete:
        notes.append(
            f"[there are more than {limits.WALK_ENTRIES} entries, and some were left out; choose a "
            "folder further down]"
        )
    if deep:
        notes.append(
            f"[what is more than {limits.DEPTH} levels down was left out; choose a folder further "
            "down]"
        )
    if not readable:
        notes.append("[some files or folders could not be read]")
    return notes


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobOutcome:
    """Paths that match.

    Attributes:
        matches: Pairs of a path, as the model can use it, and what is there.
        complete: Whether everything was looked at.
        readable: Whether every folder could be read.
        deep: Whether there is more below the deepest level.
    """

    matches: tuple[tuple[bytes, Entry], ...]
    complete: bool = True
    readable: bool = True
    deep: bool = False

    @property
    def text(self) -> str:
        """A path on each line, those of folders ending in a slash."""
        lines = [shown_entry(path, entry) for path, entry in self.matches[: limits.ENTRIES]]
        if len(self.matches) > limits.ENTRIES:
            total = len(self.matches)
            lines.append(f"[the first {limits.ENTRIES} of {total} matches; narrow the pattern]")
        notes = walk_notes(complete=self.complete, readable=self.readable, deep=self.deep)
        return "\n".join([*(lines or ["(no matches)"]), *notes])


class GlobTool(Tool):
    """Finds paths."""

    name = "glob"
    parameters = (
        Parameter(
            name="pattern",
            kind="string",
            required=True,
            description="Relative pattern such as **/*.py or src/*.{c,h}.",
        ),
        FOLDER,
        HIDDEN,
    )
    description = (
        "Find paths by a pattern: * and ? and [...] match within a name, ** any number of folders, "
        "{a,b} either; a leading dot only if the pattern has it or hidden is true. Folders end in "
        f"a slash; links are found and not followed. At most {limits.ENTRIES} paths are shown, "
        f"sorted, from at most {limits.DEPTH} levels."
    )

    async def _run(self, **arguments: Any) -> GlobOutcome:
        pattern = GlobPattern.parse(arguments["pattern"], hidden=arguments["hidden"])
        place = locate(self.backend, arguments["path"])
        search = Search(
            depth=pattern.depth,
            hidden=pattern.looks_at_hidden,
            names=pattern.last_names,
            bounded=pattern.bounded,
        )
        listing = await self._context.files.walk(place, search)
        matches = tuple(
            (place.below(entry.path).given, entry)
            for entry in listing.entries
            if pattern.matches(entry.path, folder=entry.kind is Kind.FOLDER)
        )
        return GlobOutcome(
            matches=matches,
            complete=listing.complete,
            readable=listing.readable,
            deep=listing.deep,
        )
