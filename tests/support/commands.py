"""The command line as its users run it: another process, real streams, a real exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Command", "Outcome", "snapshot"]

TIMEOUT_SECONDS = 400
"""Far more than any command takes on a busy machine, and less than what ends a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one command line came to."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        return json.loads(self.stdout)

    @property
    def error(self) -> dict[str, Any]:
        """What ``--json`` says of a refusal."""
        return self.json["error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Runs ``harnest`` with arguments.

    Attributes:
        program: The start of every command line.
        environment: Variables beside the process's own.
    """

    program: tuple[str, ...] = (sys.executable, "-m", "harnest_ext")
    environment: tuple[tuple[str, str], ...] = ()

    def __call__(
        self, *arguments: str | Path, cwd: Path, stdin: str = "", **variables: str
    ) -> Outcome:
        """Run one command line in ``cwd`` and return what it came to, whatever that is."""
        done = subprocess.run(
            [*self.program, *map(str, arguments)],
            cwd=cwd,
            input=stdin.encode(),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            env=os.environ | dict(self.environment) | variables,
        )
        return Outcome(
            code=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode()
        )


def snapshot(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Return kind, mode and content of everything below a folder, by path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if path.is_symlink():
            entry = ("link", mode, os.fsencode(path.readlink()))
        elif path.is_dir():
            entry = ("folder", mode, b"")
        else:
            entry = ("file", mode, path.read_bytes())
        found[str(path.relative_to(folder))] = entry
    return found
