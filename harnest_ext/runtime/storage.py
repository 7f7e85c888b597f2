"""Named durable storage: bytes under text keys, with a revision that detects lost updates."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeVar

from harnest.context import (
    ContextResourceError,
    ContextUnavailableError,
    StorageConflictError,
    StorageError,
    StoredValue,
)
from harnest_ext import limits
from harnest_ext.runtime.safely import type_name
from harnest_ext.runtime.state import STATE_FILE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from harnest_ext.runtime.state import StateStore

__all__ = ["SqliteStorage", "open_storage"]

_T = TypeVar("_T")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}", re.ASCII)
_WHERE: Final = "WHERE owner = ? AND name = ? AND key = ?"
_PAGE: Final = 1000
"""Most keys that are listed at once."""


def open_storage(
    store: StateStore, owner: str, name: str, active: Callable[[], bool]
) -> SqliteStorage:
    """Return an owner's storage of that name.

    Args:
        store: The project's state.
        owner: An extension, or empty for the agent project itself.
        name: Name of the storage.
        active: Whether whoever it is handed to may still use it.

    Raises:
        ContextResourceError: The name is not usable.
    """
    if not _NAME.fullmatch(name):
        raise ContextResourceError(
            f"There is no storage {name[:80]!r}: a name must match {_NAME.pattern}."
        )
    return SqliteStorage(store, (owner, name), active)


class SqliteStorage:
    """One owner's storage in a project's state; see :class:`harnest.context.Storage`.

    Args:
        store: The project's state.
        scope: Its owner and its name.
        active: Asked before each use: whether its holder's invocation or runtime still runs.
    """

    def __init__(
        self, store: StateStore, scope: tuple[str, str], active: Callable[[], bool]
    ) -> None:
        self._store = store
        self._scope = scope
        self._active = active

    async def get(self, key: str) -> StoredValue | None:
        """Return what is stored under a key, or None."""
        _check_key(key)
        return await self._change(lambda db: _read(db, (*self._scope, key)))

    async def put(self, key: str, value: bytes, *, revision: int | None = None) -> StoredValue:
        """Store a value; see :class:`harnest.context.Storage`."""
        _check_key(key)
        _check_value(value)

        def write(db: sqlite3.Connection) -> StoredValue:
            where = (*self._scope, key)
            last = _expect(db, where, revision)
            db.execute(
                "INSERT INTO storage VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "value = excluded.value, revision = excluded.revision",
                (*where, value, last + 1),
            )
            return StoredValue(value=value, revision=last + 1)

        return await self._change(write)

    async def delete(self, key: str, *, revision: int | None = None) -> bool:
        """Remove a key and tell whether it existed."""
        _check_key(key)

        def remove(db: sqlite3.Connection) -> bool:
            where = (*self._scope, key)
            _expect(db, where, revision)
            # The revision stays, so that a writer who saw the old value can't mistake a new one.
            done = db.execute(
                f"UPDATE storage SET value = NULL, revision = revision + 1 {_WHERE} "  # noqa: S608 - a constant
                "AND value IS NOT NULL",
                where,
            )
            return done.rowcount > 0

        return await self._change(remove)

    async def keys(self, *, prefix: str = "", after: str = "", limit: int = 100) -> tuple[str, ...]:
        """Return keys in order; see :class:`harnest.context.Storage`."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _PAGE:
            raise ValueError(f"limit must be 1 to {_PAGE}")
        if not isinstance(prefix, str) or not isinstance(after, str):
            raise TypeError("prefix and after must be str")

        def read(db: sqlite3.Connection) -> tuple[str, ...]:
            rows = db.execute(
                "SELECT key FROM storage WHERE owner = ? AND name = ? AND value IS NOT NULL "
                "AND key > ? AND key >= ? ORDER BY key LIMIT ?",
                (*self._scope, after, prefix, limit),
            )
            # In order, the keys with the prefix come first and stand together.
            return tuple(takewhile(lambda key: key.startswith(prefix), (row[0] for row in rows)))

        return await self._change(read)

    async def _change(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        if not self._active() or self._store.closed:
            raise ContextUnavailableError(
                f"This storage {self._scope[1]!r} belongs to an invocation or runtime that has "
                "ended. Ask for it again in the running one."
            )
        failed = ""
        try:
            return await self._store.change(work)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - SQLite's errors hold paths and values
            failed = type_name(error)
        raise StorageError(f"The project's state in {STATE_FILE} can't be used: {failed}.")

    def __repr__(self) -> str:
        return f"<storage {self._scope[1]!r}>"


def _read(db: sqlite3.Connection, where: tuple[str, str, str]) -> StoredValue | None:
    row = db.execute(
        f"SELECT value, revision FROM storage {_WHERE} AND value IS NOT NULL",  # noqa: S608 - a constant
        where,
    ).fetchone()
    return None if row is None else StoredValue(value=bytes(row[0]), revision=row[1])


def _expect(db: sqlite3.Connection, where: tuple[str, str, str], revision: int | None) -> int:
    row = db.execute(f"SELECT value, revision FROM storage {_WHERE}", where).fetchone()  # noqa: S608 - a constant
    last: int = row[1] if row else 0
    seen = 0 if row is None or row[0] is None else last
    if revision is not None and revision != seen:
        raise StorageConflictError(
            f"The stored revision is {seen}, not {revision}: read it again and repeat the change."
        )
    return last


def _check_key(key: object) -> None:
    if not isinstance(key, str):
        raise TypeError("a key must be str")
    if not key or len(key.encode()) > limits.STORAGE_KEY_BYTES:
        raise ValueError(f"a key must have 1 to {limits.STORAGE_KEY_BYTES} bytes of UTF-8")


def _check_value(value: object) -> None:
    if not isinstance(value, bytes):
        raise TypeError("a value must be bytes")
    if len(value) > limits.STORAGE_VALUE_BYTES:
        raise ValueError(f"a value must have at most {limits.STORAGE_VALUE_BYTES} bytes")
