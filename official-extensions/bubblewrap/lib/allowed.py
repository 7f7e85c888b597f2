"""Paths of the host that a declaration lets programs read: each at its own place, as it is."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .view import View, covers

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HOME", "allowed_view"]

HOME: Final = "/home/sandbox"
"""The work directory as programs see it."""

_OWN: Final = (HOME, "/dev", "/proc", "/tmp")  # noqa: S108 - the sandbox's own
"""Places that the sandbox fills itself."""
_CONTROLS: Final = ("/dev", "/proc", "/run", "/sys", "/var/run")
"""Places of the kernel's and of daemons, whose files and sockets do much more than be read."""


def allowed_view(paths: Iterable[str], *, work: str | None = None) -> View:
    """Return what those paths add to what programs see.

    Args:
        paths: Absolute paths without links; they exist.
        work: The work directory on the host; None if there is none yet.

    Raises:
        ValueError: One can't be shown; the text names it, the rule and what to do instead.
    """
    entries = []
    for path in paths:
        reason = _objection(path, work)
        if reason:
            raise ValueError(f"allowed_paths can't hold {path!r}: {reason}")
        entries.append((path, path))
    return View().joined(View(read_only=tuple(sorted(entries))))


def _objection(path: str, work: str | None) -> str:
    if work is not None and covers(work, path):
        # A program could put a link in its place, and the next sandbox would show what it leads to.
        return "it lies in the work directory, which programs can change. They read it there"
    if any(covers(folder, path) for folder in _CONTROLS):
        return "the kernel and daemons are controlled there. Copy what is needed somewhere else"
    if covers(HOME, path) or any(covers(path, own) for own in _OWN):
        return "the sandbox has its own files there. Name the folders below it that are needed"
    mode = Path(path).stat().st_mode
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return "it is neither a folder nor a regular file. Only those can be read-only"
    return ""
