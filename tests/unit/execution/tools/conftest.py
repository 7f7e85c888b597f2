"""The tools on files of the host, and on the same files through three shells."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution.tools import Answer, WorkspaceTools
from tests.fakes.shell_backend import ShellBackend

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ("host", "dash", "bash", "busybox")
"""Where files are worked on: by system calls, or by one of these shells."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Tools and the folder that they work in.

    Attributes:
        root: The work directory.
        tools: The tools.
        backend: What they are bound to.
    """

    root: Path
    tools: WorkspaceTools
    backend: ShellBackend

    def say(self, name: str, **arguments: Any) -> str:
        """Return what a model is told."""
        return self.answer(name, **arguments).text

    def answer(self, name: str, **arguments: Any) -> Answer:
        """Return what a model is told, and how it is called."""
        return asyncio.run(self.tools.answer(name, arguments))


def programs(folder: Path, shell: str) -> str:
    """Return a search path on which ``sh`` is a shell, and everything else belongs to it."""
    found = shutil.which(shell, path="/usr/bin:/bin")
    if found is None:
        pytest.skip(f"{shell} is not installed")
    if shell != "busybox":
        (folder / "sh").symlink_to(found)
        return f"{folder}:/usr/bin:/bin"
    listed = subprocess.run([found, "--list"], check=True, capture_output=True, text=True)
    for applet in listed.stdout.split():
        (folder / applet).symlink_to(found)
    return str(folder)


def make_bench(place: str, root: Path, folder: Path, **options: Any) -> Bench:
    """Return the tools at one place."""
    if place != "host":
        options |= {"path": programs(folder, place), "owns_filesystem": True}
        options |= {"shell": str(folder / "sh")}
    backend = ShellBackend(directory=root, **options)
    return Bench(root=root, tools=WorkspaceTools(backend), backend=backend)


@pytest.fixture(params=PLACES)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """Return tools at each place, in an empty folder."""
    root, folder = tmp_path / "work", tmp_path / "bin"
    root.mkdir()
    folder.mkdir()
    return make_bench(request.param, root, folder)
