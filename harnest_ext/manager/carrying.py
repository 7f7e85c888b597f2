"""Carry out what was planned, in one change of the project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest_ext.identity import Slug
from harnest_ext.manager.report import Change
from harnest_ext.store import layout
from harnest_ext.store.backups import render_backup
from harnest_ext.store.lockfile import render_lock
from harnest_ext.store.reader import folder_digest
from harnest_ext.store.staging import CopiedFile
from harnest_ext.store.stamps import stamps_of
from harnest_ext.store.wishes import edit_wishes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harnest_ext.manager.plan import Step
    from harnest_ext.manager.state import State
    from harnest_ext.package import ExtensionPackage
    from harnest_ext.store.lock import LockFile
    from harnest_ext.store.transaction import Transaction
    from harnest_ext.store.view import InstalledExtension
    from harnest_ext.store.wishes import Wish
    from harnest_ext.store.writing import Writer

__all__ = ["Intent", "backup_record", "carry_out", "package_files", "record", "to_change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """Everything that one command is about to write.

    Attributes:
        command: Name of the command, for the journal.
        steps: What is done with each extension.
        lock: The lock afterwards; None for the one before with the entries of ``steps``.
        wishes: What the user asks for from now on, by name, beside what was asked before.
        dropped: Names that the user no longer asks for.
        removed: Copies that go to the backups without anything in their place.
        stamped: Copies that are as the lock says, of which stamps are to be taken.
    """

    command: str
    steps: Sequence[Step] = ()
    lock: LockFile | None = None
    wishes: Mapping[Slug, Wish] = field(default_factory=dict)
    dropped: Sequence[str] = ()
    removed: Sequence[InstalledExtension] = ()
    stamped: Sequence[InstalledExtension] = ()


def carry_out(writer: Writer, state: State, intent: Intent) -> bool:
    """Write what ``intent`` says; return False when nothing had to be written.

    Raises:
        StoreError: Nothing was changed.
        InvalidExtension: A source changed meanwhile; nothing was changed.
    """
    lock = intent.lock
    if lock is None:
        lock = state.lock.with_entries(*(step.entry for step in intent.steps))
    with writer.change(intent.command) as change:
        for item in intent.removed:
            change.move_out(Slug(item.name), backup_record(state, item))
        for step in intent.steps:
            if step.move_out and step.present is not None:
                change.move_out(step.name, backup_record(state, step.present))
            if step.move_in and step.incoming is not None:
                package = step.incoming.package
                change.move_in(step.name, package_files(package), package.digest)
        for item in intent.stamped:
            if item.path is not None and item.locked is not None:
                change.stamp(item.locked.name, stamps_of(item.path, item.locked.digest))
        record(change, state, lock=lock, put=intent.wishes, drop=intent.dropped)
        return change.commit()


def record(
    change: Transaction,
    state: State,
    *,
    lock: LockFile | None,
    put: Mapping[Slug, Wish] | None = None,
    drop: Iterable[str] = (),
) -> None:
    """Let ``change`` write the lock and the user's wishes, where they differ from what is there.

    Args:
        change: The change in the making.
        state: What was found.
        lock: The lock afterwards; None to leave the file alone.
        put: Wishes that are put in.
        drop: Names of wishes that are taken out.
    """
    lost = lock is not None and bool(lock.entries) and not state.project.lock_path.exists()
    if lock is not None and (lock != state.lock or lost):
        change.swap(layout.LOCK_NAME, render_lock(lock))
    wishes = edit_wishes(state.pyproject, put=put or {}, drop=frozenset(drop))
    if wishes != (state.pyproject or b""):
        change.swap(layout.PYPROJECT_NAME, wishes)


def backup_record(state: State, present: InstalledExtension) -> bytes:
    """Return what a rollback to ``present`` needs to know."""
    try:
        digest = folder_digest(present.path) if present.path else ""
    except OSError:
        # What can't be read can be moved out of the way; it can't be brought back as it was.
        digest = ""
    wish = state.wishes.get(present.locked.name) if present.locked else None
    return render_backup(present.locked, wish, digest)


def package_files(package: ExtensionPackage) -> Iterator[CopiedFile]:
    """Yield each file that an installation of ``package`` copies."""
    for file in package.files:
        yield CopiedFile(file.path, file.size, package.read(file.path), file.executable)


def to_change(step: Step, state: State, wishes: Mapping[Slug, Wish]) -> Change:
    """Return what the command answers about ``step``."""
    place = step.entry.source.location if step.entry.linked else f"extensions/{step.name}"
    return Change(
        name=step.name,
        action=step.action,
        version=step.entry.version,
        previous=step.before.version if step.before else "",
        source=step.entry.source,
        path=place,
        capabilities=step.entry.capabilities,
        added_capabilities=step.added_capabilities,
        requested=step.name in wishes or step.name in state.wishes,
    )
