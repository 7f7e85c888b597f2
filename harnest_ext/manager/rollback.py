"""Rollback: bring back what an extension was before, with its lock entry and its wish."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound, InvalidExtension, StoreError
from harnest_ext.identity import Slug
from harnest_ext.manager import rules
from harnest_ext.manager.carrying import backup_record, record
from harnest_ext.manager.consistency import inconsistencies
from harnest_ext.manager.report import Action, Change, ChangeReport
from harnest_ext.manager.state import read_state
from harnest_ext.package import digest_of_folder
from harnest_ext.package.disk import open_folder, read_file
from harnest_ext.store import rules as store_rules
from harnest_ext.store.backups import find_backup
from harnest_ext.store.staging import CopiedFile
from harnest_ext.store.view import CopyState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.problem import Problem
    from harnest_ext.store.backups import Backup
    from harnest_ext.store.lock import LockFile
    from harnest_ext.store.writing import Writer

__all__ = ["rollback"]

_UNCHANGED = "The project was not changed."


def rollback(setting: Setting, name: str, *, force: bool = False) -> ChangeReport:
    """Bring back the previous version of an extension; what is there takes its place.

    Args:
        setting: The project, the host and the ports.
        name: Extension, in any spelling of its project.
        force: Whether to do so when others then lack what they require, or when the copy that is
            there was edited by hand.

    Raises:
        ExtensionNotFound: No previous version is kept.
        StoreError: It was tampered with, or something stands against it.
    """
    slug = Slug.typed(name.replace("-", "_"))
    with setting.writing() as writer:
        if writer is None:
            raise AssertionError("this command has no dry run")
        state = read_state(setting.project)
        backup = _found(setting, slug)
        lock = state.lock.without(slug)
        if backup.entry is not None:
            lock = lock.with_entries(backup.entry)
        if not force:
            _refuse(setting, state, slug, lock)
        _restore(writer, state, slug, backup, lock)
        return ChangeReport(
            root=setting.project.root,
            changes=(_change(state, slug, backup),),
            recovered=writer.recovered,
        )


def _found(setting: Setting, name: Slug) -> Backup:
    backup = find_backup(setting.project.root, name)
    if backup is None:
        raise ExtensionNotFound(
            rules.NO_BACKUP.problem(f"No previous version of '{name}' is kept.", path=name),
            unchanged=_UNCHANGED,
        )
    return backup


def _refuse(setting: Setting, state: State, name: Slug, lock: LockFile) -> None:
    present = state.view.get(name)
    problems: list[Problem] = []
    if present is not None and present.state is CopyState.MODIFIED:
        problems.append(
            rules.LOCAL_CHANGES.problem(
                f"The copy of '{name}' was changed by hand; it is left as it is.",
                path=f"extensions/{name}",
            )
        )
    before = {(p.path, p.message) for p in inconsistencies(state.lock, setting.host)}
    after = inconsistencies(lock, setting.host)
    problems += [p for p in after if (p.path, p.message) not in before]
    if problems:
        raise StoreError(problems, unchanged=_UNCHANGED)


def _restore(writer: Writer, state: State, name: Slug, backup: Backup, lock: LockFile) -> None:
    present = state.view.get(name)
    linked = present is not None and present.locked is not None and present.locked.linked
    drop = [] if backup.wish else [name]
    try:
        with writer.change("rollback") as change:
            if present is not None and present.path is not None and not linked:
                change.move_out(name, backup_record(state, present))
            change.move_in(name, _files(backup.tree), backup.digest)
            put = {name: backup.wish} if backup.wish else {}
            record(change, state, lock=lock, put=put, drop=drop)
            change.commit()
    except InvalidExtension as error:
        raise StoreError(
            store_rules.BACKUP.problem(
                f"The previous version of '{name}' is not what was replaced.",
                path=os.path.relpath(backup.tree, state.project.root),
                expected=backup.digest,
            ),
            unchanged=_UNCHANGED,
        ) from error


def _files(tree: Path) -> Iterator[CopiedFile]:
    files = digest_of_folder(tree).files
    with open_folder(tree) as root:
        for file in files:
            content = read_file(root, file.path, None)
            yield CopiedFile(file.path, file.size, content, file.executable)


def _change(state: State, name: Slug, backup: Backup) -> Change:
    before, entry = state.lock.get(name), backup.entry
    return Change(
        name=name,
        action=Action.RESTORED,
        version=entry.version if entry else "",
        previous=before.version if before else "",
        source=entry.source if entry else None,
        path=f"extensions/{name}",
        capabilities=entry.capabilities if entry else (),
        requested=backup.wish is not None,
    )
