"""The way in for whoever changes a project: alone, and after what was left has been put right."""

from __future__ import annotations

import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import StoreError
from harnest_ext.store import layout, rules
from harnest_ext.store.folder import Folder
from harnest_ext.store.journal import read_journal
from harnest_ext.store.leftovers import recover
from harnest_ext.store.transaction import UNCHANGED, Transaction
from harnest_ext.store.writer_lock import writer_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnest_ext.store.filesystem import FileSystem
    from harnest_ext.store.project import Project

__all__ = ["Writer", "open_for_writing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A project that is held for writing.

    Attributes:
        project: Which one.
        root: Its root, open.
        recovered: Whether something that an earlier command left was put right.
    """

    project: Project
    root: Folder
    recovered: bool

    def change(self, command: str) -> Transaction:
        """Begin a change; see :class:`~harnest_ext.store.transaction.Transaction`."""
        return Transaction(self.project.root, self.root, command=command)


@contextmanager
def open_for_writing(
    project: Project,
    *,
    wait: float = limits.WRITER_WAIT_SECONDS,
    notice: Callable[[str], None] | None = None,
    disk: FileSystem | None = None,
) -> Iterator[Writer]:
    """Hold ``project`` for writing while the block runs.

    Args:
        project: The project.
        wait: Seconds to wait for another writer.
        notice: Is told when that takes long.
        disk: Port to write through; the operating system's own by default.

    Raises:
        StoreBusy: Another writer held it all the time.
        StoreError: It can't be locked; a place of the store is a link or a file; or an interrupted
            command can't be finished.
    """
    with (
        writer_lock(project.root, wait=wait, notice=notice),
        Folder.project(project.root, disk) as root,
    ):
        _refuse_odd_places(root)
        recovered = recover(root, read_journal(project.root))
        yield Writer(project=project, root=root, recovered=recovered)


def _refuse_odd_places(root: Folder) -> None:
    folders = (layout.EXTENSIONS_NAME, layout.STATE_PATH)
    files = (layout.LOCK_NAME, layout.PYPROJECT_NAME)
    for path in (*folders, *files):
        mode = root.mode(path)
        wanted = stat.S_ISDIR if path in folders else stat.S_ISREG
        if mode is not None and not wanted(mode):
            raise StoreError(
                rules.DESTINATION.problem(
                    f"{path} is a link or of the wrong type.",
                    path=path,
                    expected="a regular folder" if path in folders else "a regular file",
                ),
                unchanged=UNCHANGED,
            )
