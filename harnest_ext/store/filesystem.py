"""The port through which every change to a project's files goes, one operation at a time.

An algorithm above it can be stopped before, after or instead of any single operation, which is how
the tests try every crash. Names are single components below an open folder, links never followed.
"""

from __future__ import annotations

import os
from typing import Final, Protocol

__all__ = ["FILE_MODE", "FOLDER_MODE", "PROGRAM_MODE", "DiskFileSystem", "FileSystem"]

FOLDER_MODE: Final = 0o755
FILE_MODE: Final = 0o644
PROGRAM_MODE: Final = 0o755


class FileSystem(Protocol):
    """What a writer asks of the operating system; each call may raise OSError."""

    def open_folder(self, name: str, *, folder: int) -> int:
        """Open the folder ``name`` below the open folder and return its descriptor."""

    def mkdir(self, name: str, *, folder: int) -> int:
        """Make a folder, which must not exist, and return its descriptor.

        Its mode is :data:`FOLDER_MODE` whatever the umask is.
        """

    def create(self, name: str, *, folder: int, mode: int | None = None) -> int:
        """Make an empty file, which must not exist, and return its descriptor for writing.

        Its mode is ``mode`` whatever the umask is, or :data:`FILE_MODE` less the umask.
        """

    def write(self, data: bytes, *, descriptor: int) -> None:
        """Write all of ``data`` at the end."""

    def sync(self, *, descriptor: int) -> None:
        """Return when the file or folder is on stable storage."""

    def rename(self, name: str, new_name: str, *, folder: int, new_folder: int) -> None:
        """Move an entry; a file in its new place is replaced in the same instant."""

    def unlink(self, name: str, *, folder: int) -> None:
        """Remove a file or link."""

    def rmdir(self, name: str, *, folder: int) -> None:
        """Remove an empty folder."""


class DiskFileSystem:
    """The operating system's own."""

    def open_folder(self, name: str, *, folder: int) -> int:
        """See :class:`FileSystem`."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, dir_fd=folder)

    def mkdir(self, name: str, *, folder: int) -> int:
        """See :class:`FileSystem`."""
        os.mkdir(name, FOLDER_MODE, dir_fd=folder)
        descriptor = self.open_folder(name, folder=folder)
        try:
            os.fchmod(descriptor, FOLDER_MODE)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def create(self, name: str, *, folder: int, mode: int | None = None) -> int:
        """See :class:`FileSystem`."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, FILE_MODE, dir_fd=folder)
        if mode is not None:
            os.fchmod(descriptor, mode)
        return descriptor

    def write(self, data: bytes, *, descriptor: int) -> None:
        """See :class:`FileSystem`."""
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def sync(self, *, descriptor: int) -> None:
        """See :class:`FileSystem`."""
        os.fsync(descriptor)

    def rename(self, name: str, new_name: str, *, folder: int, new_folder: int) -> None:
        """See :class:`FileSystem`."""
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)

    def unlink(self, name: str, *, folder: int) -> None:
        """See :class:`FileSystem`."""
        os.unlink(name, dir_fd=folder)

    def rmdir(self, name: str, *, folder: int) -> None:
        """See :class:`FileSystem`."""
        os.rmdir(name, dir_fd=folder)
