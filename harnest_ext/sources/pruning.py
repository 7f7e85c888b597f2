"""Keep the cache of pages and wheels within its bounds: the longest unused goes first.

Several processes share a cache, so what was used a short while ago is never removed, and what
another process removes meanwhile is no fault.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from harnest_ext import limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["prune"]


class _Kept(NamedTuple):
    used: float
    size: int
    path: Path


def prune(folder: Path, *, most: int, now: float | None = None) -> int:
    """Remove what was not used for long, and the longest unused of what is too much.

    Args:
        folder: Part of the cache; each entry directly in it, a file or a folder, goes as a whole.
        most: Most bytes that may stay, unless all of it was used just now.
        now: Seconds since 1970; the clock's by default.

    Returns:
        How many entries were removed.
    """
    moment = time.time() if now is None else now
    entries = sorted(_entries(folder))
    total = sum(entry.size for entry in entries)
    removed = 0
    for entry in entries:
        age = moment - entry.used
        too_old = age > limits.CACHE_DAYS * 86400
        if age < limits.CACHE_SPARED_SECONDS or not (too_old or total > most):
            break
        _remove(entry.path)
        total -= entry.size
        removed += 1
    return removed


def _entries(folder: Path) -> Iterator[_Kept]:
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):  # gone meanwhile
                parts = [path, *path.iterdir()] if path.is_dir() else [path]
                found = [part.lstat() for part in parts]
                size = sum(status.st_size for status in found)
                yield _Kept(max(status.st_mtime for status in found), size, path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
