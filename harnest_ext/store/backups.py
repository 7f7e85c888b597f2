"""Previous versions: what a rollback brings back, as it was replaced."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import HarnestExtensionError, StoreError
from harnest_ext.store import layout, rules
from harnest_ext.store.leftovers import ENTRY_NAME, TREE_NAME
from harnest_ext.store.lock import LockFile
from harnest_ext.store.lockfile import parse_lock, render_lock
from harnest_ext.store.reading import is_folder, read_regular
from harnest_ext.store.wishes import Wish, wish_shape

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.store.lock import LockedExtension

__all__ = ["Backup", "find_backup", "render_backup"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A previous version of an extension.

    Attributes:
        tree: Folder of the copy.
        entry: What the lock said; None when it had no entry.
        wish: What the user had asked for; None when it came as a requirement.
        digest: Tree digest of the copy as it was replaced, hand-made changes included.
    """

    tree: Path
    entry: LockedExtension | None
    wish: Wish | None
    digest: str


def render_backup(entry: LockedExtension | None, wish: Wish | None, digest: str) -> bytes:
    """Return the text of a backup's record."""
    lock = None if entry is None else render_lock(LockFile(entries={entry.name: entry})).decode()
    shape = {
        "version": 1,
        "digest": digest,
        "lock": lock,
        "wish": None if wish is None else wish_shape(wish),
    }
    return json.dumps(shape, indent=1).encode() + b"\n"


def find_backup(root: Path, name: Slug) -> Backup | None:
    """Return the newest previous version of ``name`` in the project at ``root``, or None.

    Raises:
        StoreError: kind ``tampered``: its record can't be used; kind ``io-error``.
    """
    previous = root / layout.PREVIOUS_PATH
    try:
        numbers = sorted((child.name for child in previous.iterdir()), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        message = f"The previous versions can't be looked at: {error.strerror}."
        remedy = "Give yourself permission to read them."
        problem = rules.UNREADABLE.problem(message, path=layout.PREVIOUS_PATH, remedy=remedy)
        raise StoreError(problem) from error
    for number in numbers:
        folder = previous / number / name
        data = read_regular(folder / ENTRY_NAME, limits.STATE_BYTES)
        if data is not None and is_folder(folder / TREE_NAME):
            return _parsed(data, folder, name)
    return None


def _parsed(data: bytes, folder: Path, name: Slug) -> Backup:
    try:
        shape = json.loads(data)
        lock = parse_lock((shape["lock"] or "lock-version = 1").encode(), ENTRY_NAME)
        return Backup(
            tree=folder / TREE_NAME,
            entry=lock.get(name),
            wish=None if shape["wish"] is None else Wish(**shape["wish"]),
            digest=str(shape["digest"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, HarnestExtensionError) as error:
        raise StoreError(
            rules.BACKUP.problem(
                f"The record of the previous version of '{name}' can't be used.",
                path=f"{layout.PREVIOUS_PATH}/{folder.parent.name}/{name}/{ENTRY_NAME}",
            )
        ) from error
