"""Paths as the kernel of macOS sees them: what the rules of a profile are compared with."""

from __future__ import annotations

import fcntl
import os
from pathlib import PurePosixPath
from typing import Final

from . import limits

__all__ = ["real_path", "unlinked"]

_LINKED: Final = ("etc", "tmp", "var")


def unlinked(path: str) -> str:
    """Return a path with the links that every macOS has at its root replaced.

    Args:
        path: Absolute.
    """
    parts = PurePosixPath(path).parts
    return f"/private{path}" if len(parts) > 1 and parts[1] in _LINKED else path


def real_path(path: str) -> str:
    """Return the kernel's own path of an existing file or folder.

    Links are followed, and where the system can be asked (``F_GETPATH``), upper and lower case and
    the form of accents are those on disk: ``/users/me`` is found, but rules need ``/Users/me``.

    Raises:
        OSError: There is no such file or folder, or it can't be opened.
    """
    resolved = unlinked(os.path.realpath(path, strict=True))
    ask = getattr(fcntl, "F_GETPATH", None)
    if ask is None:
        return resolved
    descriptor = os.open(resolved, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        answer: bytes = fcntl.fcntl(descriptor, ask, bytes(limits.PATH_BYTES))
    finally:
        os.close(descriptor)
    return os.fsdecode(answer.rstrip(b"\0"))
