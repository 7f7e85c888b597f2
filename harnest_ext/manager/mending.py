"""What `doctor --fix` does about what it found; each remedy is one of the ordinary commands.

Whatever a remedy replaces is kept for a rollback, and one that is refused stops no other.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError, StoreError
from harnest_ext.manager.locking import LockOptions, lock
from harnest_ext.manager.plan import Permission
from harnest_ext.manager.rules import doctor as rules
from harnest_ext.manager.sync import SyncOptions, sync
from harnest_ext.store import layout
from harnest_ext.store.faults import told
from harnest_ext.store.filesystem import FILE_MODE, FOLDER_MODE, PROGRAM_MODE
from harnest_ext.store.folder import Folder
from harnest_ext.store.journal import read_journal
from harnest_ext.store.stamps import CACHE_FOLDER
from harnest_ext.store.writer_lock import writer_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnest_ext.manager.findings import Finding
    from harnest_ext.manager.setting import Setting

__all__ = ["mend", "wrong_modes"]


def mend(setting: Setting, found: Sequence[Finding]) -> dict[str, str]:
    """Mend what is fixable among ``found``; return why a remedy was refused, by rule.

    Raises:
        StoreError: Another writer held the project all the time.
    """
    broken = {finding.problem.rule for finding in found if finding.fixable}
    refused: dict[str, str] = {}
    for ruled, remedy in _REMEDIES:
        wanted = broken & {rule.id for rule in ruled}
        if not wanted:
            continue
        try:
            remedy(setting)
        except HarnestExtensionError as error:
            refused |= dict.fromkeys(wanted, error.problems[0].message)
    return refused


def wrong_modes(folder: Path) -> list[tuple[str, int]]:
    """Return path and right mode of what below a copy is not 0755 or 0644, the copy itself too.

    Raises:
        OSError: The copy can't be walked.
    """
    wrong: list[tuple[str, int]] = []
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        if stat.S_IMODE(here.lstat().st_mode) != FOLDER_MODE:
            wrong.append((str(here), FOLDER_MODE))
        if not os.access(here, os.R_OK | os.X_OK):
            continue
        for entry in os.scandir(here):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != CACHE_FOLDER:
                    waiting.append(here / entry.name)
            elif entry.is_file(follow_symlinks=False):
                mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
                right = PROGRAM_MODE if mode & stat.S_IXUSR else FILE_MODE
                if mode != right:
                    wrong.append((entry.path, right))
    return wrong


def _recover(setting: Setting) -> None:
    with setting.writing():
        pass


def _put_journal_aside(setting: Setting) -> None:
    """Keep a journal that nobody can follow under another name; the lock decides from then on."""
    root = setting.project.root
    with (
        writer_lock(root, wait=setting.wait, notice=setting.notice),
        Folder.project(root, setting.disk) as folder,
    ):
        try:
            read_journal(root)
        except StoreError:
            folder.remove(f"{layout.JOURNAL_PATH}.unusable")
            folder.rename(layout.JOURNAL_PATH, f"{layout.JOURNAL_PATH}.unusable")


def _relock(setting: Setting) -> None:
    lock(setting, LockOptions())


def _sync(setting: Setting) -> None:
    sync(setting, SyncOptions(permission=Permission(force=True)))


def _set_modes(setting: Setting) -> None:
    with setting.writing():
        for name in os.listdir(setting.project.extensions):  # noqa: PTH208 - names are enough
            copy = setting.project.extensions / name
            if name.startswith(".") or copy.is_symlink() or not copy.is_dir():
                continue
            with told("set the permissions of", f"{layout.EXTENSIONS_NAME}/{name}"):
                for path, mode in wrong_modes(copy):
                    Path(path).chmod(mode)


_REMEDIES: tuple[tuple[tuple[rules.Rule, ...], Callable[[Setting], None]], ...] = (
    ((rules.JOURNAL,), _put_journal_aside),
    ((rules.INTERRUPTED, rules.LEFTOVERS), _recover),
    ((rules.MODES,), _set_modes),
    ((rules.STALE,), _relock),
    ((rules.MISSING, rules.MODIFIED, rules.OUT_OF_SYNC), _sync),
)
