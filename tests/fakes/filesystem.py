"""A file system that stops, or fails, at the operation that a test names."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field

from harnest_ext.store.filesystem import DiskFileSystem

__all__ = [
    "Crash",
    "CrashingFileSystem",
    "FailingFileSystem",
    "RecordingFileSystem",
    "SealedFileSystem",
]


class Crash(BaseException):
    """The process is gone: nothing after this instant happens."""


@dataclass
class RecordingFileSystem:
    """The real one, which keeps a list of what was done, and only pretends to sync.

    ``unsynced`` holds the inode of each file and folder whose content or entries would not be on
    stable storage yet. A killed process loses nothing that it wrote, so real syncs would only cost
    time in tests of kills.
    """

    disk: DiskFileSystem = field(default_factory=DiskFileSystem)
    done: list[str] = field(default_factory=list)
    unsynced: set[int] = field(default_factory=set)

    def before(self, operation: str) -> None:
        """Note an operation that is about to happen."""
        self.done.append(operation)

    def _dirty(self, descriptor: int) -> None:
        self.unsynced.add(os.fstat(descriptor).st_ino)

    def open_folder(self, name: str, *, folder: int) -> int:
        """Do it, as the port says."""
        self.before(f"open_folder {name}")
        return self.disk.open_folder(name, folder=folder)

    def mkdir(self, name: str, *, folder: int) -> int:
        """Do it, as the port says."""
        self.before(f"mkdir {name}")
        descriptor = self.disk.mkdir(name, folder=folder)
        self._dirty(folder)
        self._dirty(descriptor)
        return descriptor

    def create(self, name: str, *, folder: int, mode: int | None = None) -> int:
        """Do it, as the port says."""
        self.before(f"create {name}")
        descriptor = self.disk.create(name, folder=folder, mode=mode)
        self._dirty(folder)
        self._dirty(descriptor)
        return descriptor

    def write(self, data: bytes, *, descriptor: int) -> None:
        """Do it, as the port says."""
        self.before("write")
        self.disk.write(data, descriptor=descriptor)
        self._dirty(descriptor)

    def sync(self, *, descriptor: int) -> None:
        """Do it, as the port says."""
        self.before("sync")
        self.unsynced.discard(os.fstat(descriptor).st_ino)

    def rename(self, name: str, new_name: str, *, folder: int, new_folder: int) -> None:
        """Do it, as the port says."""
        self.before(f"rename {name} {new_name}")
        self.disk.rename(name, new_name, folder=folder, new_folder=new_folder)
        self._dirty(folder)
        self._dirty(new_folder)

    def unlink(self, name: str, *, folder: int) -> None:
        """Do it, as the port says."""
        self.before(f"unlink {name}")
        self.disk.unlink(name, folder=folder)
        self._dirty(folder)

    def rmdir(self, name: str, *, folder: int) -> None:
        """Do it, as the port says."""
        self.before(f"rmdir {name}")
        self.disk.rmdir(name, folder=folder)
        self._dirty(folder)


@dataclass
class CrashingFileSystem(RecordingFileSystem):
    """Stops for good before operation number ``at``, from 0; ``torn`` writes half of a write."""

    at: int = -1
    torn: bool = False

    def before(self, operation: str) -> None:
        """Note the operation, or stop."""
        if len(self.done) >= self.at >= 0:
            raise Crash(operation)
        super().before(operation)

    def write(self, data: bytes, *, descriptor: int) -> None:
        """Do it, as the port says."""
        if self.torn and len(self.done) == self.at:
            self.disk.write(data[: len(data) // 2], descriptor=descriptor)
        super().write(data, descriptor=descriptor)


@dataclass
class FailingFileSystem(RecordingFileSystem):
    """Lets operation number ``at`` fail with ``error``, and with ``lasting`` all later ones too."""

    at: int = -1
    error: int = errno.ENOSPC
    lasting: bool = False

    def before(self, operation: str) -> None:
        """Note the operation, or stop."""
        number = len(self.done)
        super().before(operation)
        if number == self.at or (self.lasting and number > self.at >= 0):
            raise OSError(self.error, os.strerror(self.error), operation)


@dataclass
class SealedFileSystem(RecordingFileSystem):
    """A folder whose entries can't be changed, as for somebody who may not write to it.

    Attributes:
        sealed: Inode of that folder.
    """

    sealed: int = 0

    def rename(self, name: str, new_name: str, *, folder: int, new_folder: int) -> None:
        """Do it, as the port says, unless an entry of the sealed folder would change."""
        if self.sealed in {os.fstat(folder).st_ino, os.fstat(new_folder).st_ino}:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        super().rename(name, new_name, folder=folder, new_folder=new_folder)
