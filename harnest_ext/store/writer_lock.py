"""One writer at a time: a lock on the project's own folder.

The folder itself is locked, not a file in it: there is nothing to leave behind after a refusal or
a kill, nothing to go stale, and the operating system lets go of it whatever ends the process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import StoreBusy, StoreError
from harnest_ext.store import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["writer_lock"]


@contextmanager
def writer_lock(
    root: Path,
    *,
    wait: float = limits.WRITER_WAIT_SECONDS,
    notice: Callable[[str], None] | None = None,
) -> Iterator[None]:
    """Hold the project at ``root`` for writing while the block runs.

    Args:
        root: The project's folder.
        wait: Seconds to wait for another writer; 0 not to wait.
        notice: Is told once, after a second of waiting, what is being waited for.

    Raises:
        StoreBusy: Another writer held it all the time.
        StoreError: kind ``io-error``: the file system has no locks, or the folder can't be opened.
    """
    descriptor = _opened(root)
    try:
        _acquire(descriptor, root, wait, notice)
        yield
    finally:
        os.close(descriptor)


def _opened(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _unlockable(root, error) from error


def _acquire(
    descriptor: int, root: Path, wait: float, notice: Callable[[str], None] | None
) -> None:
    start = time.monotonic()
    while not _attempt(descriptor, root):
        waited = time.monotonic() - start
        if waited >= wait:
            raise StoreBusy(
                rules.BUSY.problem(
                    f"Another command is writing to this project and did not finish in {wait:g} s.",
                    path=str(root),
                ),
                unchanged="The project was not changed.",
            )
        if notice and waited >= limits.WRITER_NOTICE_SECONDS:
            notice(f"Waiting for another command that is writing to {root} ...")
            notice = None
        time.sleep(min(limits.WRITER_POLL_SECONDS, max(0.0, wait - waited)))


def _attempt(descriptor: int, root: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}:
            return False
        raise _unlockable(root, error) from error
    return True


def _unlockable(root: Path, error: OSError) -> StoreError:
    return StoreError(
        rules.LOCKING.problem(
            f"The project can't be locked for writing: {error.strerror}.", path=str(root)
        ),
        unchanged="The project was not changed.",
    )
