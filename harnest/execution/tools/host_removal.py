"""Removing a folder of this host with everything in it, however deep; blocking.

One folder is open at a time, and a deeper one is left through its own ``..``: neither the depth of
calls, nor that of a path, nor the number of descriptors is a bound. No link is followed, and what a
program moves away meanwhile is noticed before anything else is removed there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass

from harnest.execution.tools.host_path import opened

__all__ = ["remove_tree"]

_LOOK = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True, kw_only=True)
class _Level:
    """A folder on the way: its name, which one it is, and what is still to be looked at."""

    name: bytes
    identity: tuple[int, int]
    left: list[bytes]


def remove_tree(parent: int, name: bytes) -> None:
    """Remove a folder and everything in it.

    What can't be removed stays, and all the rest goes, as ``rm -r`` does it.

    Args:
        parent: The folder that holds it, open.
        name: Its name there.

    Raises:
        OSError: The first reason why something stays.
    """
    removal = _Removal(parent)
    try:
        removal.enter(name)
        while removal.levels:
            removal.go_on()
    finally:
        os.close(removal.folder)
    if removal.failure is not None:
        raise removal.failure


class _Removal:
    """A removal in progress.

    Args:
        parent: The folder to begin in, open; it is left as it is.
    """

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self.folder = os.dup(parent)
        self.levels: list[_Level] = []
        self.failure: OSError | None = None

    def enter(self, name: bytes) -> None:
        """Go into a folder of the one that is open; one that can't be read goes if it is empty."""
        try:
            below = opened(self.folder, name)
        except PermissionError:
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=self.folder)
                return
            raise
        try:
            with os.scandir(below) as entries:
                left = [os.fsencode(item.name) for item in entries]
            level = _Level(name=name, identity=_identity(below), left=left)
        except BaseException:
            os.close(below)
            raise
        os.close(self.folder)
        self.folder = below
        self.levels.append(level)

    def go_on(self) -> None:
        """Remove the next entry, or go into it, or leave a folder that has none left."""
        left = self.levels[-1].left
        if not left:
            self._leave()
            return
        name = left.pop()
        try:
            if stat.S_ISDIR(os.lstat(name, dir_fd=self.folder).st_mode):
                self.enter(name)
            else:
                os.unlink(name, dir_fd=self.folder)
        except OSError as error:
            self._note(error)

    def _leave(self) -> None:
        level = self.levels.pop()
        above = os.open("..", _LOOK, dir_fd=self.folder) if self.levels else os.dup(self._parent)
        os.close(self.folder)
        self.folder = above
        if self.levels and _identity(above) != self.levels[-1].identity:
            raise OSError(errno.ESTALE, "a folder was moved while it was being removed")
        try:
            os.rmdir(level.name, dir_fd=above)
        except OSError as error:
            self._note(error)

    def _note(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # otherwise it was removed meanwhile
            self.failure = self.failure or error


def _identity(folder: int) -> tuple[int, int]:
    found = os.fstat(folder)
    return found.st_dev, found.st_ino
