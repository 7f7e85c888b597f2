"""See what is installed without writing: lock, copies and a journal that is being carried out.

Copies are compared with their stamps, and hashed only where these do not fit. A writer at work is
noticed by the journal or the lock changing under the reader, who then looks again.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harnest_ext.errors import InvalidExtension, StoreError
from harnest_ext.identity import Slug
from harnest_ext.store import layout
from harnest_ext.store.journal import Journal, read_journal
from harnest_ext.store.lock import LockedExtension, LockFile
from harnest_ext.store.lockfile import read_lock
from harnest_ext.store.reading import is_folder
from harnest_ext.store.stamps import CopyStamps, read_stamps
from harnest_ext.store.view import CopyState, InstalledExtension, InstalledView

if TYPE_CHECKING:
    from harnest_ext.problem import Problem
    from harnest_ext.store.project import Project

__all__ = ["current_path", "folder_digest", "installed_view"]

_ATTEMPTS: Final = 5
"""How often a reader looks again when a writer was at work meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    root: Path
    journal: Journal | None
    lock: LockFile
    stamps: dict[str, CopyStamps]
    problems: tuple[Problem, ...]


def installed_view(project: Project, *, only: str = "") -> InstalledView:
    """Return what is installed in ``project`` at this instant.

    Args:
        project: The project.
        only: Look at the copy of this name alone; the view's lock is whole all the same.

    A lock or a journal that can't be used is told in the view's ``problems``, not raised, so that
    what is there can still be listed and removed.
    """
    for _ in range(_ATTEMPTS):
        before = _fingerprint(project.root)
        view = _look(_snapshot(project.root), only)
        if _fingerprint(project.root) == before:
            break
    return view


def current_path(root: Path, path: str) -> Path:
    """Return where the true content of one of the project's own files is at this instant.

    That is its place, unless an interrupted command had decided to replace it.
    """
    try:
        journal = read_journal(root)
    except StoreError:
        journal = None
    return _current(root, journal, path)


def folder_digest(folder: Path) -> str:
    """Return the tree digest of an installed copy; only cache folders are left out.

    It is empty, and so equals none, when the copy holds what no copy has, such as a link.

    Raises:
        OSError: The folder can't be opened.
    """
    from harnest_ext.package.digest import digest_of_folder  # noqa: PLC0415 - most need no hash

    return digest_of_folder(folder).digest


def _fingerprint(root: Path) -> tuple[tuple[int, int, int] | None, ...]:
    return tuple(
        _identity(root / path)
        for path in (layout.JOURNAL_PATH, layout.LOCK_NAME, layout.STAMPS_PATH)
    )


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def _snapshot(root: Path) -> _Snapshot:
    problems: list[Problem] = []
    journal, lock = None, LockFile()
    try:
        journal = read_journal(root)
    except StoreError as error:
        problems.extend(error.problems)
    try:
        lock = read_lock(_current(root, journal, layout.LOCK_NAME))
    except (InvalidExtension, StoreError) as error:
        problems.extend(error.problems)
    stamps = read_stamps(root, str(_current(root, journal, layout.STAMPS_PATH)))
    return _Snapshot(root=root, journal=journal, lock=lock, stamps=stamps, problems=tuple(problems))


def _current(root: Path, journal: Journal | None, path: str) -> Path:
    if journal and path in journal.files:
        staged = root / journal.staged_file(path)
        if staged.exists():
            return staged
    return root / path


def _look(snapshot: _Snapshot, only: str) -> InstalledView:
    found: dict[str, InstalledExtension] = {
        name: _locked(snapshot, entry)
        for name, entry in snapshot.lock.entries.items()
        if only in {"", name}
    }
    for name, real in _folder_names(snapshot.root / layout.EXTENSIONS_NAME):
        if only not in {"", name}:
            continue
        if name not in found and not _on_its_way_out(snapshot, name):
            found[name] = _unknown(snapshot, name, real=real)
    return InstalledView(
        lock=snapshot.lock,
        extensions=found,
        interrupted=snapshot.journal is not None,
        problems=snapshot.problems,
    )


def _folder_names(extensions: Path) -> list[tuple[str, bool]]:
    """Folders and links below `extensions/`; other files there are the user's own."""
    try:
        with os.scandir(extensions) as entries:
            return [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.name.startswith(".") and (entry.is_dir() or entry.is_symlink())
            ]
    except OSError:
        return []


def _on_its_way_out(snapshot: _Snapshot, name: str) -> bool:
    journal = snapshot.journal
    return bool(journal and name in journal.moved_out and name not in journal.moved_in)


def _copy_path(snapshot: _Snapshot, name: str) -> Path:
    journal = snapshot.journal
    if journal and name in journal.moved_in:
        staged = snapshot.root / journal.staged_copy(name)
        if staged.is_dir():
            return staged
    return snapshot.root / layout.EXTENSIONS_NAME / name


def _locked(snapshot: _Snapshot, entry: LockedExtension) -> InstalledExtension:
    if entry.linked:
        path = Path(os.path.normpath(snapshot.root / entry.source.location))
        state = CopyState.LINKED if is_folder(path) else CopyState.MISSING
    else:
        path = _copy_path(snapshot, entry.name)
        return _compared(path, entry, snapshot.stamps.get(entry.name))
    return InstalledExtension(
        name=entry.name, state=state, path=path if state is CopyState.LINKED else None, locked=entry
    )


def _compared(path: Path, entry: LockedExtension, stamps: CopyStamps | None) -> InstalledExtension:
    try:
        real = stat.S_ISDIR(path.lstat().st_mode)
        state = _state_of_copy(path, entry, stamps) if real else CopyState.FOREIGN
    except FileNotFoundError:
        state = CopyState.MISSING
    except OSError:
        state = CopyState.UNREADABLE
    there = state not in {CopyState.MISSING, CopyState.FOREIGN}
    return InstalledExtension(
        name=entry.name, state=state, path=path if there else None, locked=entry
    )


def _state_of_copy(path: Path, entry: LockedExtension, stamps: CopyStamps | None) -> CopyState:
    if stamps is not None and stamps.fit(path):
        return CopyState.OK if stamps.digest == entry.digest else CopyState.OUT_OF_SYNC
    digest = folder_digest(path)
    if digest == entry.digest:
        return CopyState.OK
    as_installed = stamps is not None and stamps.digest == digest
    return CopyState.OUT_OF_SYNC if as_installed else CopyState.MODIFIED


def _unknown(snapshot: _Snapshot, name: str, *, real: bool) -> InstalledExtension:
    try:
        slug: str | None = Slug(name)
    except InvalidExtension:
        slug = None
    path = snapshot.root / layout.EXTENSIONS_NAME / name
    if slug is None or not real:
        return InstalledExtension(name=name, state=CopyState.FOREIGN)
    try:
        known = (path / "extension.yaml").is_file()
        state = CopyState.NOT_IN_LOCK if known else CopyState.FOREIGN
    except OSError:
        state = CopyState.UNREADABLE
    return InstalledExtension(name=name, state=state, path=path)
