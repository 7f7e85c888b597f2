"""Paths below a sandbox's work directory, by their text: what is there is known inside alone."""

from __future__ import annotations

import posixpath

from harnest.execution.places import checked_path

__all__ = ["inside"]


def inside(work: str, path: str) -> str:
    """Return the absolute path of what a path names below a work directory.

    Args:
        work: The work directory, absolute.
        path: Relative to it, or absolute and below it.

    Raises:
        PermissionError: It is outside of it.
        ValueError: It is no text, empty, too long or holds a NUL.
    """
    base = posixpath.normpath(work)
    found = posixpath.normpath(posixpath.join(base, checked_path(path)))
    if found == base or found.startswith(base.rstrip("/") + "/"):
        return found
    shown = repr(path)[:200]
    if path.startswith("/") and ".." not in path.split("/"):
        raise PermissionError(
            f"{shown} is outside of the work directory {base!r}; name a path relative to it"
        )
    raise PermissionError(f"{shown} leads out of the work directory {base!r}")
