"""The tool ``generate_file``: a new file, text or binary, and proof of what is in it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Any

from harnest.execution.tools import limits
from harnest.execution.tools.filesystem import Writing
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.place import locate
from harnest.execution.tools.read_file import PATH
from harnest.execution.tools.text import bounded, content_of, count
from harnest.execution.tools.tool import Tool

__all__ = ["GenerateOutcome", "GenerateTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOutcome:
    """What was made.

    Attributes:
        shown: The path as a model reads it.
        size: Its bytes.
        sha256: SHA-256 of its content, in hexadecimal.
    """

    shown: str
    size: int
    sha256: str

    @property
    def text(self) -> str:
        """Path, size and digest."""
        return f"Created {self.shown}: {count(self.size, 'byte')}, sha256 {self.sha256}"


class GenerateTool(Tool):
    """Makes a file that is handed on, and never takes another one's place."""

    name = "generate_file"
    parameters = (
        PATH,
        Parameter(name="content", kind="string", required=True, description="All of the file."),
        Parameter(
            name="encoding",
            kind="string",
            default="utf-8",
            choices=("utf-8", "base64"),
            description="base64 for a binary file; utf-8 for text.",
        ),
    )
    description = (
        "Make a new file, such as a report or an image to hand on. A path that exists is refused; "
        "missing folders are made. The answer tells the file's size and SHA-256. At most "
        f"{limits.WRITE_BYTES} bytes."
    )

    async def _run(self, **arguments: Any) -> GenerateOutcome:
        content = _content(arguments["content"], arguments["encoding"])
        place = locate(self.backend, arguments["path"], write=True)
        async with self._context.writing(place):
            await self._context.files.write(place, content, Writing.CREATE)
        digest = hashlib.sha256(content).hexdigest()
        return GenerateOutcome(shown=place.shown, size=len(content), sha256=digest)


def _content(text: str, encoding: str) -> bytes:
    if encoding == "utf-8":
        return content_of("content", text)
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (ValueError, binascii.Error):
        raise ValueError("content is no base64") from None
    return bounded("content", data)
