"""Read one of the project's own files: whole, bounded, a regular file, links not followed."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.store import rules

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_folder", "read_regular"]


def is_folder(path: Path) -> bool:
    """Return whether a folder is at ``path``, links followed; False where that can't be seen."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read_regular(path: Path, limit: int, *, name: str = "") -> bytes | None:
    """Return the content of the file at ``path``, or None when there is none.

    Args:
        path: File to read.
        limit: Most bytes it may have.
        name: How messages call it: its path in the project; its last component if empty.

    Raises:
        StoreError: kind ``io-error``: it is no regular file, is larger, or can't be read.
    """
    try:
        # Without O_NONBLOCK a fifo in the file's place would hang the command.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        linked = error.errno == errno.ELOOP
        reason = "it is a symbolic link" if linked else error.strerror
        raise _unreadable(name or path.name, reason) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unreadable(name or path.name, "it is not a regular file")
        data = _content(descriptor, name or path.name, limit + 1)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise _unreadable(name or path.name, f"it is larger than {limit} bytes")
    return data


def _content(descriptor: int, name: str, most: int) -> bytes:
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(most)
    except OSError as error:
        raise _unreadable(name, error.strerror) from error


def _unreadable(name: str, reason: str | None) -> StoreError:
    return StoreError(
        rules.UNREADABLE.problem(
            f"A file of the project can't be read: {reason}.",
            path=name,
            expected="a regular file",
        ),
        unchanged="The project was not changed.",
    )
