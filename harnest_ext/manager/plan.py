"""What is to be done with each extension, decided and refused before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.manager import rules
from harnest_ext.manager.report import Action
from harnest_ext.store import rules as store_rules
from harnest_ext.store.reader import folder_digest
from harnest_ext.store.stamps import read_stamps
from harnest_ext.store.view import CopyState, InstalledExtension

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.manager.incoming import Incoming
    from harnest_ext.manager.state import State
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedExtension

__all__ = ["Permission", "Step", "changed_files", "plan_steps", "unagreed"]

_UNCHANGED = "The project was not changed."
_AS_INSTALLED = {CopyState.OK, CopyState.OUT_OF_SYNC}


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What the user allows.

    Attributes:
        upgrade: Replace an installed extension by other content.
        force: Replace any copy, one that was edited by hand too.
        consent: Is asked whether an extension may have further capabilities: its name, and the
            capabilities that are new.
    """

    upgrade: bool = False
    force: bool = False
    consent: Callable[[str, tuple[str, ...]], bool] = lambda _name, _added: False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is to be done with one extension.

    Attributes:
        name: Its name.
        action: What it is called.
        entry: Its entry in the lock afterwards.
        before: Its entry before, if any.
        present: What was found of it, if anything.
        incoming: The package whose files are copied or which is linked; None if nothing moves.
        move_out: Whether the copy that is there goes to the backups.
        move_in: Whether a new copy is made.
    """

    name: Slug
    action: Action
    entry: LockedExtension
    before: LockedExtension | None = None
    present: InstalledExtension | None = None
    incoming: Incoming | None = None
    move_out: bool = False
    move_in: bool = False

    @property
    def added_capabilities(self) -> tuple[str, ...]:
        """Capabilities that an earlier version did not have; none for a first installation."""
        if self.before is None:
            return ()
        return tuple(sorted({*self.entry.capabilities} - {*self.before.capabilities}))


def plan_steps(
    state: State, incoming: Sequence[Incoming], permission: Permission
) -> tuple[Step, ...]:
    """Return what is to be done so that ``incoming`` is in the project.

    Raises:
        StoreError: kinds ``conflict``, ``modified`` and ``consent-required``, all together.
    """
    steps = tuple(_step(state, item) for item in incoming)
    problems = [problem for step in steps if (problem := _refusal(state, step, permission))]
    if problems:
        raise StoreError(problems, unchanged=_UNCHANGED)
    return steps


def changed_files(state: State, name: str, path: Path) -> tuple[str, ...]:
    """Return a line for each file of a copy that is not as it was installed.

    Empty when that can't be told: without stamps only the digest says that something differs, and
    what can't be read says nothing.
    """
    stamps = read_stamps(state.project.root).get(name)
    try:
        return stamps.changes(path) if stamps else ()
    except OSError:
        return ()


def _step(state: State, item: Incoming) -> Step:
    name = item.package.slug
    present = state.view.get(name)
    before = state.lock.get(name)
    entry = item.locked(before)
    there = present is not None and present.path is not None and not (before and before.linked)
    if entry.linked:
        same = before is not None and before.linked and before.source == entry.source
        action, moves = (Action.UNCHANGED, False) if same else (Action.LINKED, there)
        return Step(
            name=name, action=action, entry=entry, before=before, present=present,
            incoming=item, move_out=moves,
        )  # fmt: skip
    same = there and present is not None and _digest(present) == entry.digest
    return Step(
        name=name,
        action=Action.UNCHANGED if same else _action(before, entry, present),
        entry=entry,
        before=before,
        present=present,
        incoming=item,
        move_out=there and not same,
        move_in=not same,
    )


def _digest(present: InstalledExtension) -> str:
    if present.state is CopyState.OK and present.locked is not None:
        return present.locked.digest
    try:
        return folder_digest(present.path) if present.path else ""
    except OSError:
        return ""


def _action(
    before: LockedExtension | None, entry: LockedExtension, present: InstalledExtension | None
) -> Action:
    if before is None:
        return Action.INSTALLED if present is None else Action.REPLACED
    if before.version != entry.version:
        from packaging.version import Version  # noqa: PLC0415 - only a replacement needs it

        newer = Version(before.version) < Version(entry.version)
        return Action.UPGRADED if newer else Action.DOWNGRADED
    if present is not None and present.state is CopyState.MISSING:
        return Action.RESTORED
    return Action.REPLACED


def _refusal(state: State, step: Step, permission: Permission) -> Problem | None:
    present = step.present
    path = f"extensions/{step.name}"
    if present is not None and present.state is CopyState.FOREIGN and present.path is None:
        return store_rules.DESTINATION.problem(
            f"The place of '{step.name}' is taken by something that is not a copy of it.",
            path=path,
        )
    if present is None or not (step.move_out or step.action is Action.LINKED or step.move_in):
        return None
    if step.move_out and present.state not in _AS_INSTALLED and not permission.force:
        return _local_changes(state, step, present)
    replaces = step.move_out or (step.before is not None and step.before.linked)
    if replaces and not (permission.upgrade or permission.force):
        return _other_content(step, path)
    return _unagreed(step, permission)


def _local_changes(state: State, step: Step, present: InstalledExtension) -> Problem:
    files = changed_files(state, step.name, present.path) if present.path else ()
    what = "is not in the lock" if present.locked is None else "was changed by hand"
    return rules.LOCAL_CHANGES.problem(
        f"The copy of '{step.name}' {what}; it is not replaced.",
        path=f"extensions/{step.name}",
        got=", ".join(files),
    )


def _other_content(step: Step, path: str) -> Problem:
    before = step.before
    have = _content(before) if before else "other content"
    return rules.OTHER_CONTENT.problem(
        f"'{step.name}' is installed already, with other content.",
        path=path,
        expected=_content(step.entry),
        got=have,
    )


def _content(entry: LockedExtension) -> str:
    return f"{entry.version} from {entry.source.location} ({entry.digest[:19] or 'linked'})"


def _unagreed(step: Step, permission: Permission) -> Problem | None:
    return unagreed(step.before, step.entry, permission)


def unagreed(
    before: LockedExtension | None, entry: LockedExtension, permission: Permission
) -> Problem | None:
    """Return the refusal of capabilities that ``entry`` gains over ``before``, unless agreed to."""
    added = tuple(sorted({*entry.capabilities} - {*before.capabilities})) if before else ()
    if before is None or not added or permission.consent(entry.name, added):
        return None
    return rules.CONSENT.problem(
        f"'{entry.name}' {entry.version} wants further capabilities: {', '.join(added)}.",
        path=entry.name,
        got=", ".join(entry.capabilities),
        expected=", ".join(before.capabilities),
    )
