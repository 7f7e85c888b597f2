"""Carry out a journal, or take it back: renames only, each of which may have happened already.

Every move has one end that is this journal's alone (a staged copy, a numbered backup), so that
whether it happened can be seen from the files, whenever and how often this runs. A state in the
middle of taking back is also one in the middle of carrying out: a crash in either is carried out.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.store import layout
from harnest_ext.store.journal import SWAPPED_FILES

if TYPE_CHECKING:
    from harnest_ext.store.folder import Folder
    from harnest_ext.store.journal import Journal

__all__ = ["carry_out", "take_back"]


def carry_out(root: Folder, journal: Journal) -> None:
    """Bring everything that ``journal`` decided to its place, and drop the journal.

    Raises:
        StoreError: kind ``io-error``; what is left to do can be done later, or taken back.
    """
    for name in journal.moved_out:
        copy, kept = _copy(name), f"{journal.backup(name)}/tree"
        # What has arrived already must not be mistaken for what is to leave.
        arrived = name in journal.moved_in and not root.exists(journal.staged_copy(name))
        if not arrived and root.exists(copy) and not root.exists(kept):
            root.rename(copy, kept)
    for name in journal.moved_in:
        if root.exists(journal.staged_copy(name)):
            root.rename(journal.staged_copy(name), _copy(name))
    for path in SWAPPED_FILES:
        if path in journal.files and root.exists(journal.staged_file(path)):
            root.rename(journal.staged_file(path), path)
    _settle(root, journal)
    # Everything is in place. A journal that reappeared after a power failure would be carried out
    # once more, which changes nothing, so that this last fault is none.
    with contextlib.suppress(StoreError):
        _sync_state(root)


def take_back(root: Folder, journal: Journal) -> None:
    """Bring everything back to where it was before :func:`carry_out`, and drop the journal.

    Raises:
        StoreError: kind ``io-error``; the journal is still there and will be carried out.
    """
    for path in reversed(SWAPPED_FILES):
        if path not in journal.files:
            continue
        if not root.exists(journal.staged_file(path)):
            root.rename(path, journal.staged_file(path))
        # What was never replaced is still there: a root that can't be written needs no restoring.
        if root.exists(journal.saved_file(path)) and not root.exists(path):
            root.rename(journal.saved_file(path), path)
    for name in reversed(journal.moved_in):
        if not root.exists(journal.staged_copy(name)):
            root.rename(_copy(name), journal.staged_copy(name))
    for name in reversed(journal.moved_out):
        if root.exists(f"{journal.backup(name)}/tree"):
            root.rename(f"{journal.backup(name)}/tree", _copy(name))
    _settle(root, journal)
    _sync_state(root)


def _settle(root: Folder, journal: Journal) -> None:
    for name in journal.moved_out:
        if root.exists(journal.backup(name)):
            with root.at(journal.backup(name)) as backup:
                backup.sync()
    with root.at(layout.EXTENSIONS_NAME) as extensions:
        extensions.sync()
    root.sync()
    _sync_state(root)
    root.remove(layout.JOURNAL_PATH)


def _sync_state(root: Folder) -> None:
    with root.at(layout.STATE_PATH) as state:
        state.sync()


def _copy(name: str) -> str:
    return f"{layout.EXTENSIONS_NAME}/{name}"
