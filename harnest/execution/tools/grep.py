"""The tool ``grep``: lines of files that match a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.tools import limits
from harnest.execution.tools.filesystem import Kind, Listing, Search
from harnest.execution.tools.glob import HIDDEN, walk_notes
from harnest.execution.tools.list_directory import FOLDER
from harnest.execution.tools.matching import Matching
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.pattern import LinePattern
from harnest.execution.tools.place import locate
from harnest.execution.tools.text import count
from harnest.execution.tools.threads import in_thread
from harnest.execution.tools.tool import Tool
from harnest.execution.tools.wildcards import GlobPattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest.execution.tools.filesystem import Entry
    from harnest.execution.tools.place import Place

__all__ = ["GrepOutcome", "GrepTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepOutcome:
    """Lines that match.

    Attributes:
        found: The matching lines, and what was left out of them.
        large: How many files are too large to be looked into.
        complete: Whether every entry was looked at.
        readable: Whether everything could be read.
        deep: Whether there is more below the deepest level.
    """

    found: Matching
    large: int = 0
    complete: bool = True
    readable: bool = True
    deep: bool = False

    @property
    def text(self) -> str:
        """Each file's path, then its lines behind their numbers: ``:`` match, ``-`` context."""
        found = self.found
        notes = []
        if found.over:
            notes.append(f"[{found.over}; narrow the pattern, path or include]")
        if found.binary:
            notes.append(f"[{count(found.binary, 'binary file')} left out]")
        if self.large:
            most = limits.WRITE_BYTES
            notes.append(f"[{count(self.large, 'file')} of more than {most} bytes left out]")
        notes += walk_notes(complete=self.complete, readable=self.readable, deep=self.deep)
        if not found.blocks:
            return "\n".join(["(no matches)", *notes])
        files = count(len(found.blocks), "file")
        matches = f"{found.matches} match{'' if found.matches == 1 else 'es'}"
        return "\n".join(["\n\n".join(found.blocks), f"[{matches} in {files}]", *notes])


class GrepTool(Tool):
    """Searches files."""

    name = "grep"
    parameters = (
        Parameter(
            name="pattern",
            kind="string",
            required=True,
            description="Regular expression that a line has to match somewhere.",
        ),
        Parameter(
            name="path",
            kind="string",
            default=FOLDER.default,
            description="File or folder to search, relative to the work directory.",
        ),
        Parameter(
            name="include",
            kind="string",
            description="Only files that match this glob pattern, such as *.py (at any depth) or "
            "src/**/*.{ts,tsx}.",
        ),
        Parameter(
            name="ignore_case",
            kind="boolean",
            default=False,
            description="Whether letters match in either case.",
        ),
        Parameter(
            name="context",
            kind="integer",
            default=0,
            minimum=0,
            maximum=limits.CONTEXT_LINES,
            description="Lines to show before and after each match.",
        ),
        HIDDEN,
    )
    description = (
        "Search files for lines that match a regular expression: characters, . [...] \\d \\w \\s "
        "\\b ^ $ ( ) | * + ? {m,n}; nothing refers back or looks around. Each file's path is "
        "followed by its lines behind their numbers. Hidden files and folders are left out unless "
        "hidden is true or include names them; so are binary files and files of more than "
        f"{limits.WRITE_BYTES} bytes. At most {limits.GREP_BYTES} bytes are shown."
    )

    async def _run(self, **arguments: Any) -> GrepOutcome:
        pattern = LinePattern(arguments["pattern"], ignore_case=arguments["ignore_case"])
        include = _include(arguments["include"], hidden=arguments["hidden"])
        place = locate(self.backend, arguments["path"])
        found = Matching(pattern=pattern, context=arguments["context"])
        search = Search(
            depth=include.depth,
            hidden=include.looks_at_hidden,
            names=include.last_names,
            literals=pattern.literals,
            ignore_case=pattern.ignore_case,
            files=True,
            bounded=include.bounded,
        )
        try:
            listing = await self._context.files.walk(place, search)
        except NotADirectoryError:
            return await self._file(place, found)
        return await self._folder(place, include, listing, found)

    async def _file(self, place: Place, found: Matching) -> GrepOutcome:
        content = await self._context.files.read(place, limits.WRITE_BYTES)
        await in_thread(found.take, place.shown, content)
        return GrepOutcome(found=found)

    async def _folder(
        self, place: Place, include: GlobPattern, listing: Listing, found: Matching
    ) -> GrepOutcome:
        chosen = [
            entry
            for entry in listing.entries
            if entry.kind is Kind.FILE and include.matches(entry.path, folder=False)
        ]
        small = [entry for entry in chosen if entry.size <= limits.WRITE_BYTES]
        readable = listing.readable
        for batch in _batches(small):
            places = [place.below(entry.path) for entry in batch]
            contents = await self._context.files.read_many(places, limits.WRITE_BYTES)
            readable &= None not in contents
            pairs = zip(places, contents, strict=True)
            await in_thread(_take_all, found, [(p.shown, c) for p, c in pairs if c is not None])
            if found.over:
                break
        return GrepOutcome(
            found=found,
            large=len(chosen) - len(small),
            complete=listing.complete,
            readable=readable,
            deep=listing.deep,
        )


def _take_all(found: Matching, files: list[tuple[str, bytes]]) -> None:
    for shown, content in files:
        found.take(shown, content)


def _include(text: str | None, *, hidden: bool) -> GlobPattern:
    if text is None:
        text = "**/*"
    elif "/" not in text:
        text = f"**/{text}"
    return GlobPattern.parse(text, hidden=hidden)


def _batches(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Divide files into what one command can name and give."""
    batch: list[Entry] = []
    size = letters = 0
    for entry in entries:
        size += entry.size
        letters += 4 * len(entry.path) + 3
        full = size > limits.BATCH_BYTES or letters > limits.COMMAND_BYTES // 2
        if batch and (full or len(batch) == limits.BATCH_FILES):
            yield batch
            batch, size, letters = [], entry.size, 4 * len(entry.path) + 3
        batch.append(entry)
    if batch:
        yield batch
