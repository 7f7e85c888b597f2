"""The tool ``edit_file``: one text in a file for another."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.tools import limits
from harnest.execution.tools.faults import EditError
from harnest.execution.tools.filesystem import Writing
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate
from harnest.execution.tools.read_file import PATH
from harnest.execution.tools.text import bounded, content_of, count, refuse_binary
from harnest.execution.tools.tool import Tool

if TYPE_CHECKING:
    from harnest.execution.tools.place import Place

__all__ = ["EditOutcome", "EditTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditOutcome:
    """What was changed.

    Attributes:
        shown: The path as a model reads it.
        replacements: How often the text was replaced.
        line: Number of the line in which the first one begins.
    """

    shown: str
    replacements: int
    line: int

    @property
    def text(self) -> str:
        """How much was changed, and where."""
        first = "at" if self.replacements == 1 else "the first at"
        done = count(self.replacements, "replacement")
        return f"Edited {self.shown}: {done}, {first} line {self.line}"


class EditTool(Tool):
    """Replaces text in a file."""

    name = "edit_file"
    parameters = (
        PATH,
        Parameter(
            name="old_string",
            kind="string",
            required=True,
            description="The text to replace, exactly as in the file, without line numbers.",
        ),
        Parameter(
            name="new_string",
            kind="string",
            required=True,
            description="What takes its place; empty to remove it.",
        ),
        Parameter(
            name="replace_all",
            kind="boolean",
            default=False,
            description="Replace every occurrence; otherwise there must be exactly one.",
        ),
    )
    description = (
        "Replace a text in a file by another. The text must occur exactly once, unless replace_all "
        "is true: take in lines around it to make it unique. In a file whose lines all end with "
        "CR LF, a line feed in either text stands for that. Files of more than "
        f"{limits.WRITE_BYTES} bytes and binary files are refused."
    )

    async def _run(self, **arguments: Any) -> EditOutcome:
        old = content_of("old_string", arguments["old_string"])
        new = content_of("new_string", arguments["new_string"])
        if not old or old == new:
            raise EditError("old_string must be a non-empty text other than new_string")
        place = locate(self.backend, arguments["path"], write=True)
        # Who edits the same file meanwhile waits; a program that does is noticed by the digest.
        async with self._context.writing(place):
            return await self._edit(place, old, new, every=arguments["replace_all"])

    async def _edit(self, place: Place, old: bytes, new: bytes, *, every: bool) -> EditOutcome:
        files = self._context.files
        content = await files.read(place, limits.WRITE_BYTES)
        refuse_binary(place.shown, content)
        old, new = _ends_of(content, old), _ends_of(content, new)
        found = content.count(old)
        _check(place.shown, found, every=every)
        edited = bounded("the edited file", content.replace(old, new))
        digest = hashlib.sha256(content).hexdigest()
        await files.write(place, edited, Writing.REPLACE, digest)
        line = content[: content.index(old)].count(b"\n") + 1
        return EditOutcome(shown=place.shown, replacements=found, line=line)


def _check(shown: str, found: int, *, every: bool) -> None:
    if not found:
        raise EditError(
            f"old_string does not occur in {shown}; read the file again and copy the text exactly, "
            "spaces and line feeds included"
        )
    if found > 1 and not every:
        raise EditError(
            f"old_string occurs {found} times in {shown}; take in more of the lines around it, or "
            "set replace_all"
        )


def _ends_of(content: bytes, text: bytes) -> bytes:
    """Return a text with the line ends of the content, if those are all CR LF."""
    ends = content.count(b"\n")
    if not ends or ends != content.count(b"\r\n"):
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
