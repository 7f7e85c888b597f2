"""A file that was just written and is still open, so that its content can be synced later.

A disk takes many files along with the first that is synced, so a writer writes several, then syncs
them; keeping them open meanwhile saves looking each of them up again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from harnest_ext import limits
from harnest_ext.store.faults import told

if TYPE_CHECKING:
    from types import TracebackType

    from harnest_ext.store.filesystem import FileSystem

__all__ = ["NewFile", "UnsyncedFiles"]


class NewFile:
    """One file; use it in a ``with`` block or hand it to :class:`UnsyncedFiles`.

    Args:
        descriptor: Its open descriptor, owned from now on.
        path: Where it is, relative to the project, for messages.
        disk: The port that it was written through.
    """

    __slots__ = ("_descriptor", "_disk", "_path")

    def __init__(self, descriptor: int, path: str, disk: FileSystem) -> None:
        self._descriptor = descriptor
        self._path = path
        self._disk = disk

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stat(self) -> os.stat_result:
        """Return its stamps as they are now."""
        with told("look at", self._path):
            return os.fstat(self._descriptor)

    def sync(self) -> None:
        """Bring its content to stable storage.

        Raises:
            StoreError: kind ``io-error``.
        """
        with told("sync", self._path):
            self._disk.sync(descriptor=self._descriptor)

    def close(self) -> None:
        """Close it; once."""
        os.close(self._descriptor)


class UnsyncedFiles:
    """Files that were written and wait to be synced, a bounded number of them open at a time."""

    def __init__(self) -> None:
        self._waiting: list[NewFile] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._waiting:
            file.close()

    def add(self, file: NewFile) -> None:
        """Take a file over; when too many are open, all of them are synced and closed.

        Raises:
            StoreError: kind ``io-error``.
        """
        self._waiting.append(file)
        if len(self._waiting) >= limits.UNSYNCED_FILES:
            self.sync()

    def sync(self) -> None:
        """Sync and close all of them.

        Raises:
            StoreError: kind ``io-error``.
        """
        while self._waiting:
            with self._waiting.pop(0) as file:
                file.sync()
