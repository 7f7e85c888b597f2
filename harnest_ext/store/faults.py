"""What the operating system refuses a writer, told as our own error: what, where, what to do."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.store import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["told"]

_REMEDIES = {
    errno.ENOSPC: "Free some space on the disk and run the command again.",
    errno.EDQUOT: "Free some of your quota and run the command again.",
    errno.EROFS: "The file system is read-only: mount it for writing or move the project.",
    errno.EACCES: "Give yourself permission to write there and run the command again.",
    errno.EPERM: "Give yourself permission to write there and run the command again.",
    errno.EIO: "The disk reported a fault; look at the system's log.",
}


@contextmanager
def told(action: str, path: str) -> Iterator[None]:
    """Turn an OSError of the block into a StoreError.

    Args:
        action: What is done in the block, such as ``write``.
        path: To what, relative to the project.

    Raises:
        StoreError: kind ``io-error``.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(
            rules.WRITE.problem(
                f"Could not {action} {path}: {error.strerror or type(error).__name__}.",
                path=path,
                remedy=_REMEDIES.get(error.errno or 0, ""),
            )
        ) from error
