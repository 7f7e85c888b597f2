"""Paths of the host that a declaration lets programs read."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from .places import real_path

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["allowed_paths"]

_CONTROLS: Final = ("/dev", "/private/var/run", "/System/Volumes/Data")
"""Devices, sockets of daemons, and every home by another name."""


def allowed_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Return paths as the kernel sees them, sorted.

    Args:
        paths: Absolute paths; they exist.

    Raises:
        ValueError: One can't be allowed; the text names it, the rule and what to do instead.
    """
    found = []
    for path in paths:
        reason = ""
        try:
            real = real_path(path)
            reason = _objection(real, Path(path).stat().st_mode)
        except OSError as error:
            reason = f"it can't be looked up ({type(error).__name__}). Make it first"
        if reason:
            raise ValueError(f"allowed_paths can't hold {path!r}: {reason}")
        found.append(real)
    return tuple(sorted(set(found)))


def _objection(path: str, mode: int) -> str:
    if path == "/":
        return "that is every file of this host. Name the folders that are needed"
    pure = PurePosixPath(path)
    for folder in _CONTROLS:
        if pure.is_relative_to(folder) or PurePosixPath(folder).is_relative_to(pure):
            return f"it is, or holds, {folder}. Name the folders that are needed"
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return "it is neither a folder nor a regular file. Only those can be read-only"
    return ""
