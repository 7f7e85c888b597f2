"""Paths of the host that a declaration lets programs read: each at its own place, as it is."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harnest.execution.listeners import listener_in, listeners
from harnest.execution.local import LocalProgramError

from .view import View, covers

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HOME", "allowed_view", "check_unlinked"]

HOME: Final = "/home/sandbox"
"""The work directory as programs see it."""

_OWN: Final = (HOME, "/dev", "/proc", "/tmp")  # noqa: S108 - the sandbox's own
"""Places that the sandbox fills itself."""
_CONTROLS: Final = ("/dev", "/proc", "/run", "/sys", "/var/run")
"""Places of the kernel's and of daemons, whose files and sockets do much more than be read."""
_ENGINES: Final = ("DOCKER_HOST", "CONTAINER_HOST")
"""Variables that name where a container engine listens, which is access to the whole host."""


def allowed_view(paths: Iterable[str], *, work: str | None = None) -> View:
    """Return what those paths add to what programs see.

    Args:
        paths: Absolute paths without links; they exist.
        work: The work directory on the host; None if there is none yet.

    Raises:
        ValueError: One can't be shown; the text names it, the rule and what to do instead.
    """
    entries = []
    paths = tuple(paths)
    found = listeners() if paths else ()
    for path in paths:
        reason = _objection(path, work) or _connectable(path, found)
        if reason:
            raise ValueError(f"allowed_paths can't hold {path!r}: {reason}")
        entries.append((path, path))
    return View().joined(View(read_only=tuple(sorted(entries))))


def check_unlinked(paths: Iterable[str]) -> None:
    """Refuse paths that lead elsewhere by now: the next sandbox would show what they lead to.

    Whoever can write there can do that, such as a program whose work directory a path lies in.

    Args:
        paths: What :func:`allowed_view` allowed.

    Raises:
        LocalProgramError: On the way to one there is a link.
    """
    if any(os.path.realpath(path) != path for path in paths):
        raise LocalProgramError(
            "A link was put into the way to an allowed path, so the program was not run: allow "
            "paths that programs of other workspaces can't change.",
            phase="start",
        )


def _objection(path: str, work: str | None) -> str:
    if work is not None and covers(work, path):
        # A program could put a link in its place, and the next sandbox would show what it leads to.
        return "it lies in the work directory, which programs can change. They read it there"
    reason = _controlling(path)
    if reason:
        return reason
    mode = Path(path).stat().st_mode
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return "it is neither a folder nor a regular file. Only those can be read-only"
    return ""


def _controlling(path: str) -> str:
    if any(covers(folder, path) for folder in _CONTROLS):
        return "the kernel and daemons are controlled there. Copy what is needed somewhere else"
    if covers(HOME, path) or any(covers(path, own) for own in _OWN):
        return "the sandbox has its own files there. Name the folders below it that are needed"
    if any(covers(path, os.path.realpath(folder)) for folder in _CONTROLS):
        return "the kernel or daemons are controlled in it. Name the folders that are needed"
    for socket in _engine_sockets():
        if covers(path, socket):
            return f"{socket!r} leads to a container engine. Name the folders beside it"
    return ""


def _connectable(path: str, found: tuple[str, ...]) -> str:
    socket = listener_in(path, found)
    if socket is None:
        return ""
    return (
        f"a service of the host listens on the Unix socket {socket!r}, and programs could connect "
        "to it. Name the folders beside it, or move the socket"
    )


def _engine_sockets() -> list[str]:
    named = (os.environ.get(name, "") for name in _ENGINES)
    paths = [text.removeprefix("unix://") for text in named if text.startswith("unix:///")]
    return [place for path in paths for place in (path, os.path.realpath(path))]
