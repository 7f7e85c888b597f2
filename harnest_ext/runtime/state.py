"""The runtime's own durable state in an agent project: one SQLite file, opened at first use.

It lies in ``.harnest/`` of the project, readable by its owner alone and ignored by git. Every
change is one immediate transaction, so several processes may share it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["STATE_FILE", "STATE_FOLDER", "StateStore"]

STATE_FOLDER: Final = ".harnest"
STATE_FILE: Final = f"{STATE_FOLDER}/state.sqlite3"
"""Where it lies in the project's folder."""
_T = TypeVar("_T")
_BUSY_SECONDS: Final = 10
"""Seconds to wait for another process's transaction."""
_SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS storage (
        owner TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
        value BLOB, revision INTEGER NOT NULL, PRIMARY KEY (owner, name, key)
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS continuation (
        id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, external_id TEXT NOT NULL,
        run_id TEXT NOT NULL, holder TEXT NOT NULL, capability TEXT NOT NULL,
        schema_id TEXT NOT NULL, state TEXT NOT NULL, payload TEXT, revision INTEGER NOT NULL,
        finished REAL, UNIQUE (owner, external_id)
    )""",
)


class StateStore:
    """One project's state.

    Args:
        root: The project's folder; the state is made at first use.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the runtime that it belongs to was closed."""
        return self._closed

    async def change(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do some work in one transaction, in a worker thread.

        Raises:
            RuntimeError: The store is closed.
            sqlite3.Error: The file can't be used.
        """
        return await asyncio.to_thread(self._change, work)

    def close(self) -> None:
        """Close the file; what is asked afterwards is refused. Repeatable."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _change(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may end the transaction by itself, or keep it open at its end.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result

    def _open(self) -> sqlite3.Connection:
        if self._closed:
            raise RuntimeError("the runtime that this belongs to is closed")
        if self._connection is None:
            self._connection = _connect(self._root)
        return self._connection


def _connect(root: Path) -> sqlite3.Connection:
    import sqlite3  # noqa: PLC0415 - most invocations store nothing

    folder, path = root / STATE_FOLDER, root / STATE_FILE
    if folder.is_symlink():
        raise NotADirectoryError(f"{folder.name} is a link")
    folder.mkdir(mode=0o700, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
    # SQLite would make the file with the process's umask; ours is the owner's alone.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        for statement in _SCHEMA:
            connection.execute(statement)
    except BaseException:
        with closing(connection):
            raise
    return connection
