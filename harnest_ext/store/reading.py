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

__all__ = ["read_regular"]


def read_regular(path: Path, limit: int) -> bytes | None:
    """Return the content of the file at ``path``, or None when there is none.

    Args:
        path: File to read.
        limit: Most bytes it may have.

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
        raise _unreadable(path, "it is a symbolic link" if linked else error.strerror) from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unreadable(path, "it is not a regular file")
        try:
            data = stream.read(limit + 1)
        except OSError as error:
            raise _unreadable(path, error.strerror) from error
    if len(data) > limit:
        raise _unreadable(path, f"it is larger than {limit} bytes")
    return data


def _unreadable(path: Path, reason: str | None) -> StoreError:
    return StoreError(
        rules.UNREADABLE.problem(
            f"A file of the project can't be read: {reason}.",
            path=path.name,
            expected="a regular file",
        ),
        unchanged="The project was not changed.",
    )
