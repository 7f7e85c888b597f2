"""A guide's listings, executed in the order in which a reader meets them.

In a Markdown page a ``console`` block holds commands after ``$`` and what they print; ``...`` on a
line of its own stands for any lines. A ``code-block`` with a caption is a file to write. Any other
``python`` block is run, after those before it. A comment before a block says what is special::

    <!-- test: docker -->            runs only where a Docker daemon has a Python image
    <!-- test: fails -->             its last command is refused
    <!-- test: skip, why -->         is not run, for the reason given
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Listing", "Reader", "listings"]

_FENCE = re.compile(
    r"(?:<!-- test: (?P<mark>[^>]*?) -->\n)?"
    r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
TIMEOUT_SECONDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One block of a page.

    Attributes:
        info: What stands after the fence.
        body: Its lines.
        mark: What a comment before it says.
        line: Where it begins.
    """

    info: str
    body: str
    mark: str
    line: int

    @property
    def file(self) -> str:
        """Path of the file that it is, or an empty text."""
        found = re.match(r":caption: (\S+)\n", self.body)
        return found.group(1) if found else ""

    @property
    def text(self) -> str:
        """Content of the file that it is."""
        return re.sub(r"\A(?::\w+:.*\n)*\n?", "", self.body)

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each command and the lines that it is said to print."""
        for part in re.split(r"^\$ ", self.body, flags=re.MULTILINE)[1:]:
            lines = part.rstrip("\n").split("\n")
            head = 1 + next(i for i, line in enumerate(lines) if not line.endswith("\\"))
            yield "\n".join(lines[:head]), lines[head:]


def listings(page: Path) -> list[Listing]:
    """Return the blocks of a page in order."""
    text = page.read_text("utf-8")
    return [
        Listing(
            info=m["info"].strip(),
            body=m["body"],
            mark=m["mark"] or "",
            line=text.count("\n", 0, m.start("fence")) + 1,
        )
        for m in _FENCE.finditer(text)
    ]


class Reader:
    """Somebody who does what a guide says, in a folder of their own.

    Args:
        folder: Where they begin.
        bin_folder: Put first on their PATH.
        image: Image that their Docker daemon has; stands in for the default one.
    """

    def __init__(self, folder: Path, bin_folder: Path, *, image: str = "") -> None:
        self.here = folder
        self._image = image
        self._path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
        self._note = folder.parent / f"{folder.name}.cwd"
        self._python = ""

    def follow(self, listing: Listing) -> None:
        """Write the file or run the commands of one block and compare what they print."""
        if listing.file:
            target = self.here / listing.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(listing.text)
        elif listing.info == "python":
            self._python += listing.body
            self._run("python -", [], refused=False, line=listing.line, typed=self._python)
        elif listing.info == "console":
            for command, expected in listing.commands():
                self._run(command, expected, refused=listing.mark == "fails", line=listing.line)

    def _run(
        self, command: str, expected: list[str], *, refused: bool, line: int, typed: str = ""
    ) -> None:
        if self._image:
            command = command.replace("--sandbox docker", f"--sandbox docker --image {self._image}")
        script = f"{command}\ncode=$?\npwd >'{self._note}'\nexit $code"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", script],
            cwd=self.here,
            env=os.environ | {"PATH": self._path},
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_SECONDS,
            check=False,
            text=True,
        )
        told = f"line {line}: $ {command}\n{done.stdout}"
        assert (done.returncode != 0) is refused, told
        self.here = Path(self._note.read_text().strip())
        if expected:
            assert _matches(expected, done.stdout.splitlines()), f"{told}\nexpected: {expected}"


def _matches(expected: list[str], lines: list[str]) -> bool:
    gap = r"(?:[^\n]*\n)*"
    parts = [gap if line == "..." else re.escape(line.rstrip()) + r"[ ]*\n" for line in expected]
    return bool(re.fullmatch("".join(parts), "".join(f"{line}\n" for line in lines)))
