"""Paths below a sandbox's work directory, by their text: what is there is known inside alone."""

from __future__ import annotations

import posixpath

from . import limits

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
    if not isinstance(path, str) or not path or "\0" in path:
        raise ValueError("path must be a non-empty str without NUL")
    if len(path.encode("utf-8", "surrogateescape")) > limits.PATH_BYTES:
        raise ValueError(f"path has more than {limits.PATH_BYTES} bytes")
    base = posixpath.normpath(work)
    found = posixpath.normpath(posixpath.join(base, path))
    if found == base or found.startswith(base.rstrip("/") + "/"):
        return found
    shown = repr(path)[:200]
    if path.startswith("/") and ".." not in path.split("/"):
        raise PermissionError(
            f"{shown} is outside of the work directory {base}; name a path relative to it"
        )
    raise PermissionError(f"{shown} leads out of the work directory {base}")
