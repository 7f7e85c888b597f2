"""What a call made: regular files of the work directory, compared before and after.

Looked at through directory descriptors, no link followed: a program that swaps a folder for a link
shows nothing of the host.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from harnest.execution import limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Snapshot"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The regular files of a folder at one moment, at most so many entries in order of their names.

    Attributes:
        stamps: What tells a file from another one of its name, by path.
        last: Names of the last entry that was looked at; None if all were.
    """

    stamps: dict[str, _Stamp]
    last: tuple[str, ...] | None

    @classmethod
    def of(cls, folder: Path, most: int = limits.SNAPSHOT_ENTRIES) -> Self:
        """Look at a folder; what can't be read is left out.

        Args:
            folder: The folder.
            most: Most entries to look at.
        """
        stamps: dict[str, _Stamp] = {}
        for count, (path, facts) in enumerate(_entries(folder), 1):
            if stat.S_ISREG(facts.st_mode):
                stamps[path] = facts.st_ino, facts.st_mtime_ns, facts.st_size
            if count >= most:
                return cls(stamps=stamps, last=_order(path))
        return cls(stamps=stamps, last=None)

    def made_since(self, before: Snapshot) -> tuple[str, ...]:
        """Return the paths that are new or changed, sorted.

        Args:
            before: The earlier one; what lies beyond its last entry is not told, being unknown.
        """
        return tuple(
            sorted(
                path
                for path, stamp in self.stamps.items()
                if before.stamps.get(path) != stamp
                if before.last is None or _order(path) <= before.last
            )
        )


def _order(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _entries(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    try:
        descriptor = os.open(folder, _FOLDER)
    except OSError:
        return
    try:
        yield from _below(descriptor, "", limits.SNAPSHOT_DEPTH)
    finally:
        os.close(descriptor)


def _below(folder: int, prefix: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    for name in _listed(folder):
        with contextlib.suppress(OSError):
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
            yield prefix + name, facts
            if stat.S_ISDIR(facts.st_mode) and depth:
                descriptor = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    yield from _below(descriptor, f"{prefix}{name}/", depth - 1)
                finally:
                    os.close(descriptor)


def _listed(folder: int) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
