"""What a call made: regular files of the work directory, compared before and after.

Looked at through directory descriptors, no link followed: a program that swaps a folder for a link
shows nothing of the host.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from harnest.execution import limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Snapshot"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_Stamp = tuple[int, int, int]
_Facts = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The regular files of a folder at one moment, at most so many entries in order of their names.

    Attributes:
        stamps: What tells a file from another one of its name, by path.
        changes: When the kernel last noted a change of each, which nobody can set, and the facts
            beside the content whose change it notes too: mode, owner, group and number of names.
        last: Names of the last entry that was looked at; None if all were.
    """

    stamps: dict[str, _Stamp]
    changes: dict[str, tuple[int, _Facts]] = field(default_factory=dict)
    last: tuple[str, ...] | None

    @classmethod
    def of(cls, folder: Path, most: int = limits.SNAPSHOT_ENTRIES) -> Self:
        """Look at a folder; what can't be read is left out.

        Args:
            folder: The folder.
            most: Most entries to look at.
        """
        stamps: dict[str, _Stamp] = {}
        changes: dict[str, tuple[int, _Facts]] = {}
        for count, (path, facts) in enumerate(_entries(folder), 1):
            if stat.S_ISREG(facts.st_mode):
                stamps[path] = facts.st_ino, facts.st_mtime_ns, facts.st_size
                about = facts.st_mode, facts.st_uid, facts.st_gid, facts.st_nlink
                changes[path] = facts.st_ctime_ns, about
            if count >= most:
                return cls(stamps=stamps, changes=changes, last=_order(path))
        return cls(stamps=stamps, changes=changes, last=None)

    def made_since(self, before: Snapshot) -> tuple[str, ...]:
        """Return the paths that are new or changed, sorted.

        Args:
            before: The earlier one; what lies beyond its last entry is not told, being unknown.
        """
        return tuple(
            sorted(
                path
                for path, stamp in self.stamps.items()
                if before.stamps.get(path) != stamp or self._rewritten(path, before)
                if before.last is None or _order(path) <= before.last
            )
        )

    def _rewritten(self, path: str, before: Snapshot) -> bool:
        """Return whether a file was written and given its former time, as ``touch -r`` does.

        The kernel has noted a change then, and nothing that it could be is another than before. Of
        a file with several names it may have been the renaming of another one.
        """
        if path not in before.changes or path not in self.changes:
            return False
        (time, about), (former, was) = self.changes[path], before.changes[path]
        return time != former and about == was and about[-1] == 1


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
