"""An open folder of the project, and what a writer does below it; faults become our own errors.

Paths are relative to the project with ``/``; each component is opened without following a link, so
that nothing outside the project can be reached whatever lies in it.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Self

from harnest_ext.errors import StoreError
from harnest_ext.store import rules
from harnest_ext.store.faults import told
from harnest_ext.store.filesystem import DiskFileSystem
from harnest_ext.store.newfile import NewFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harnest_ext.store.filesystem import FileSystem

__all__ = ["Folder", "split"]


class Folder:
    """An open folder; use it in a ``with`` block.

    Args:
        descriptor: Its open descriptor, owned from now on.
        path: Where it is, relative to the project, for messages; empty for the project itself.
        disk: The port to write through.
    """

    __slots__ = ("_disk", "descriptor", "path")

    def __init__(self, descriptor: int, path: str, disk: FileSystem) -> None:
        self.descriptor = descriptor
        self.path = path
        self._disk = disk

    @classmethod
    def project(cls, root: Path, disk: FileSystem | None = None) -> Self:
        """Open a project's root.

        Raises:
            StoreError: kind ``io-error``.
        """
        with told("open", str(root)):
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return cls(descriptor, "", disk or DiskFileSystem())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self.descriptor)

    def at(self, path: str, *, make: bool = False) -> Folder:
        """Open the folder at ``path`` below this one.

        Args:
            path: Components joined by ``/``, at least one.
            make: Whether folders that are missing are made.

        Raises:
            StoreError: kind ``io-error`` or, when a component is no folder, ``conflict``.
        """
        first, _, rest = path.partition("/")
        child = self._child(first, make=make)
        if not rest:
            return child
        with child:
            return child.at(rest, make=make)

    def mode(self, path: str) -> int | None:
        """Return the mode of the entry at ``path``, links not followed, or None if absent.

        Raises:
            StoreError: kind ``io-error``.
        """
        # A link in the middle of a path is caught when the folder is opened for the change.
        with told("look at", self._named(path)):
            try:
                return os.stat(path, dir_fd=self.descriptor, follow_symlinks=False).st_mode
            except (FileNotFoundError, NotADirectoryError):
                return None

    def exists(self, path: str) -> bool:
        """Return whether anything is at ``path``, a dangling link included."""
        return self.mode(path) is not None

    def names(self) -> list[str]:
        """Return the names of all entries, sorted.

        Raises:
            StoreError: kind ``io-error``.
        """
        with told("list", self.path):
            return sorted(os.listdir(self.descriptor))  # noqa: PTH208 - a descriptor, not a path

    def write(self, name: str, chunks: Iterable[bytes], *, mode: int | None = None) -> NewFile:
        """Write a new file and return it, open and not synced yet.

        Args:
            name: Its name in this folder.
            chunks: Its content.
            mode: Its mode; None for what the umask leaves of the usual one.

        Raises:
            StoreError: kind ``io-error``; what was written of it is left for whoever stages.
        """
        path = self._named(name)
        with told("write", path):
            descriptor = self._disk.create(name, folder=self.descriptor, mode=mode)
        try:
            for chunk in chunks:
                with told("write", path):
                    self._disk.write(chunk, descriptor=descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return NewFile(descriptor, path, self._disk)

    def sync(self) -> None:
        """Bring this folder's entries to stable storage.

        Raises:
            StoreError: kind ``io-error``.
        """
        with told("sync", self._named("")):
            self._disk.sync(descriptor=self.descriptor)

    def rename(self, path: str, new_path: str) -> None:
        """Move an entry below this folder and sync neither end.

        Raises:
            StoreError: kind ``io-error``.
        """
        head, name = split(path)
        new_head, new_name = split(new_path)
        with (
            self._parent(head) as source,
            self._parent(new_head) as target,
            told(f"move {self._named(path)} to", self._named(new_path)),
        ):
            self._disk.rename(
                name, new_name, folder=source.descriptor, new_folder=target.descriptor
            )

    def remove(self, path: str) -> None:
        """Remove what is at ``path``, a folder with all that is in it; nothing there is fine.

        Raises:
            StoreError: kind ``io-error``.
        """
        mode = self.mode(path)
        if mode is None:
            return
        head, name = split(path)
        with self._parent(head) as parent:
            if stat.S_ISDIR(mode):
                with parent.at(name) as folder:
                    for entry in folder.names():
                        folder.remove(entry)
                with told("remove", self._named(path)):
                    self._disk.rmdir(name, folder=parent.descriptor)
            else:
                with told("remove", self._named(path)):
                    self._disk.unlink(name, folder=parent.descriptor)

    def remove_if_empty(self, path: str) -> None:
        """Remove the folder at ``path`` when there is one and nothing is in it.

        Raises:
            StoreError: kind ``io-error``.
        """
        head, name = split(path)
        mode = self.mode(path)
        if mode is None or not stat.S_ISDIR(mode):
            return
        with self._parent(head) as parent:
            with parent.at(name) as folder:
                empty = not folder.names()
            if empty:
                with told("remove", self._named(path)):
                    self._disk.rmdir(name, folder=parent.descriptor)

    def _child(self, name: str, *, make: bool) -> Folder:
        path = self._named(name)
        if make and not self.exists(name):
            with told("make", path):
                descriptor = self._disk.mkdir(name, folder=self.descriptor)
            return Folder(descriptor, path, self._disk)
        try:
            with told("open", path):
                descriptor = self._disk.open_folder(name, folder=self.descriptor)
        except StoreError as error:
            mode = self.mode(name)
            if mode is None or stat.S_ISDIR(mode):
                raise
            raise _no_folder(path) from error
        return Folder(descriptor, path, self._disk)

    def _parent(self, head: str) -> Folder:
        if head:
            return self.at(head)
        return Folder(os.dup(self.descriptor), self.path, self._disk)

    def _named(self, path: str) -> str:
        return "/".join(part for part in (self.path, path) if part) or "."


def split(path: str) -> tuple[str, str]:
    """Return the folder part and the last component of ``path``."""
    head, _, name = path.rpartition("/")
    return head, name


def _no_folder(path: str) -> StoreError:
    return StoreError(
        rules.DESTINATION.problem(
            f"{path} is a link or a file, not a folder of the project.",
            path=path,
            expected="a regular folder",
        ),
        unchanged="The project was not changed.",
    )
