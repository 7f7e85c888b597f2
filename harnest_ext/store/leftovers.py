"""Put right what a killed command left: finish what it had decided, remove what it had not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import StoreError
from harnest_ext.store import layout, rules
from harnest_ext.store.swap import carry_out

if TYPE_CHECKING:
    from harnest_ext.store.folder import Folder
    from harnest_ext.store.journal import Journal

__all__ = ["ENTRY_NAME", "TREE_NAME", "find_leftovers", "recover", "tidy"]

TREE_NAME = "tree"
"""Folder of a backup that holds the copy itself."""
ENTRY_NAME = "entry.json"
"""File of a backup that holds what the lock and the user's wishes said about it."""


def recover(root: Folder, journal: Journal | None) -> bool:
    """Carry out ``journal`` and remove everything else that was left; True if anything was.

    Args:
        root: The project, held for writing.
        journal: What :func:`~harnest_ext.store.journal.read_journal` found.

    Raises:
        StoreError: kind ``interrupted``: it can't be finished, so nothing else may be written.
    """
    if journal is not None:
        try:
            carry_out(root, journal)
        except StoreError as error:
            raise StoreError(
                (
                    rules.UNFINISHED.problem(
                        f"An interrupted `{journal.command}` can't be finished.",
                        path=layout.JOURNAL_PATH,
                    ),
                    *error.problems,
                )
            ) from error
    found = find_leftovers(root)
    tidy(root)
    return journal is not None or bool(found)


def find_leftovers(root: Folder) -> tuple[str, ...]:
    """Return the paths of what a killed command left, a journal aside; read only.

    Raises:
        StoreError: kind ``io-error``.
    """
    staged = tuple(f"{layout.STAGING_PATH}/{name}" for name in _names(root, layout.STAGING_PATH))
    drafts = (layout.JOURNAL_DRAFT_PATH, layout.IGNORE_DRAFT_PATH)
    found = tuple(path for path in drafts if root.exists(path))
    return (*staged, *found, *_stale_backups(root))


def tidy(root: Folder) -> None:
    """Remove what :func:`find_leftovers` finds, and folders that became empty.

    Raises:
        StoreError: kind ``io-error``.
    """
    for path in find_leftovers(root):
        root.remove(path)
    for number in _names(root, layout.PREVIOUS_PATH):
        root.remove_if_empty(f"{layout.PREVIOUS_PATH}/{number}")
    root.remove_if_empty(layout.PREVIOUS_PATH)
    root.remove_if_empty(layout.STAGING_PATH)


def _stale_backups(root: Folder) -> tuple[str, ...]:
    """Backups that were never filled, and all but the newest of each extension."""
    kept: dict[str, int] = {}
    stale: list[str] = []
    for number in sorted(_names(root, layout.PREVIOUS_PATH), reverse=True):
        for name in _names(root, f"{layout.PREVIOUS_PATH}/{number}"):
            path = f"{layout.PREVIOUS_PATH}/{number}/{name}"
            filled = root.exists(f"{path}/{TREE_NAME}") and root.exists(f"{path}/{ENTRY_NAME}")
            if not filled or kept.get(name, 0) >= limits.PREVIOUS_VERSIONS:
                stale.append(path)
            else:
                kept[name] = kept.get(name, 0) + 1
    return tuple(stale)


def _names(root: Folder, path: str) -> list[str]:
    if not root.exists(path):
        return []
    with root.at(path) as folder:
        return folder.names()
