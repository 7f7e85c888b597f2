"""Sync: make `extensions/` equal the lock, byte for byte, or say what stands against it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound, InvalidExtension
from harnest_ext.manager import rules
from harnest_ext.manager.carrying import Intent, carry_out, to_change
from harnest_ext.manager.locking import LockOptions, relock
from harnest_ext.manager.plan import Permission, Step, plan_steps
from harnest_ext.manager.refetch import fetch_locked
from harnest_ext.manager.report import Action, Change, ChangeReport
from harnest_ext.manager.staleness import staleness
from harnest_ext.manager.state import read_state
from harnest_ext.store.layout import LOCK_NAME
from harnest_ext.store.reading import is_folder
from harnest_ext.store.stamps import read_stamps
from harnest_ext.store.view import CopyState

if TYPE_CHECKING:
    from harnest_ext.manager.incoming import Incoming
    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedExtension, LockFile
    from harnest_ext.store.view import InstalledExtension

__all__ = ["SyncOptions", "sync"]

_UNCHANGED = "The project was not changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """How to make the copies equal the lock.

    Attributes:
        permission: Whether copies that were edited by hand are replaced (they are kept for a
            rollback), and who agrees to further capabilities of a lock that is made anew.
        frozen: Refuse a lock that falls behind the wishes instead of making it anew.
        dry_run: Decide everything and write nothing.
    """

    permission: Permission = field(default_factory=Permission)
    frozen: bool = False
    dry_run: bool = False


def sync(setting: Setting, options: SyncOptions) -> ChangeReport:
    """Make the copies equal the lock; a lock that falls behind the wishes is made anew first.

    Raises:
        HarnestExtensionError: Something stands against it; the project was not changed.
    """
    with setting.writing(dry_run=options.dry_run) as writer, ExitStack() as stack:
        state = read_state(setting.project)
        lock, warnings = _target(setting, state, stack, options)
        extra = [item for item in state.view.extensions.values() if _extra(item, lock)]
        incoming = _incoming(setting, state, lock, stack)
        # What the lock names was agreed to when it was written.
        permission = Permission(
            upgrade=True, force=options.permission.force, consent=lambda _name, _added: True
        )
        steps = plan_steps(state, incoming, permission)
        if writer is not None:
            intent = Intent(
                command="sync",
                steps=steps,
                lock=lock,
                removed=extra,
                stamped=_without_stamps(state, steps),
            )
            carry_out(writer, state, intent)
        return ChangeReport(
            root=setting.project.root,
            changes=_changes(state, lock, steps, extra),
            warnings=warnings,
            recovered=writer is not None and writer.recovered,
            dry_run=options.dry_run,
        )


def _target(
    setting: Setting, state: State, stack: ExitStack, options: SyncOptions
) -> tuple[LockFile, tuple[Problem, ...]]:
    reasons = staleness(state.lock, state.wishes, state.project.root)
    if not reasons:
        return state.lock, ()
    if options.frozen:
        problems = [rules.STALE_LOCK.problem(reason, path=LOCK_NAME) for reason in reasons]
        raise InvalidExtension(problems, unchanged=_UNCHANGED)
    return relock(setting, state, stack, LockOptions(permission=options.permission))


def _without_stamps(state: State, steps: tuple[Step, ...]) -> list[InstalledExtension]:
    """Copies that stay and are right, but would be hashed by every `list`, as in a fresh clone."""
    stamps = read_stamps(state.project.root)
    moving = {step.name for step in steps}
    return [
        item
        for name, item in state.view.extensions.items()
        if item.state is CopyState.OK
        and name not in moving
        and item.path is not None
        and not (name in stamps and stamps[name].fit(item.path))
    ]


def _extra(item: InstalledExtension, lock: LockFile) -> bool:
    """Whether a copy belongs to the manager and not to the lock."""
    linked = item.locked is not None and item.locked.linked
    ours = item.path is not None and not linked and item.state is not CopyState.FOREIGN
    return ours and lock.get(item.name) is None


def _incoming(setting: Setting, state: State, lock: LockFile, stack: ExitStack) -> list[Incoming]:
    """Open the package of each entry whose copy is not as the lock says; all problems at once."""
    incoming: list[Incoming] = []
    problems: list[Problem] = []
    kind: type[InvalidExtension | ExtensionNotFound] = InvalidExtension
    for entry in lock.entries.values():
        if _in_place(state, entry):
            continue
        try:
            if entry.linked:
                raise _unlinked(entry)
            incoming.append(fetch_locked(setting, entry, stack))
        except (InvalidExtension, ExtensionNotFound) as error:
            kind = type(error)
            problems.extend(error.problems)
    if problems:
        raise kind(problems, unchanged=_UNCHANGED)
    return incoming


def _in_place(state: State, entry: LockedExtension) -> bool:
    present = state.view.get(entry.name)
    if entry.linked:
        return is_folder(state.project.root / entry.source.location)
    if present is None or present.state is not CopyState.OK or present.locked is None:
        return False
    return present.locked.digest == entry.digest


def _unlinked(entry: LockedExtension) -> ExtensionNotFound:
    return ExtensionNotFound(
        rules.SOURCE_MISSING.problem(
            f"The folder that '{entry.name}' is linked to is not there.",
            path=entry.source.location,
        )
    )


def _changes(
    state: State, lock: LockFile, steps: tuple[Step, ...], extra: list[InstalledExtension]
) -> tuple[Change, ...]:
    done = {step.name: to_change(step, state, {}) for step in steps}
    kept = [
        Change(
            name=entry.name,
            action=Action.UNCHANGED,
            version=entry.version,
            previous=entry.version,
            source=entry.source,
            path=entry.source.location if entry.linked else f"extensions/{entry.name}",
            capabilities=entry.capabilities,
            requested=entry.name in state.wishes,
        )
        for entry in lock.entries.values()
        if entry.name not in done
    ]
    removed = [Change(name=item.name, action=Action.REMOVED) for item in extra]
    return tuple(sorted((*done.values(), *kept, *removed), key=lambda change: change.name))
