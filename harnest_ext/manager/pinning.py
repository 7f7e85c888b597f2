"""Pin and unpin: whether upgrades leave an extension at its version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound
from harnest_ext.manager import rules
from harnest_ext.manager.carrying import Intent, carry_out
from harnest_ext.manager.report import Action, Change, ChangeReport
from harnest_ext.manager.state import known_name, read_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.store.lock import LockedExtension

__all__ = ["set_pins"]


def set_pins(setting: Setting, names: Sequence[str], *, pinned: bool) -> ChangeReport:
    """Pin extensions to the versions that are installed, or let them go.

    Raises:
        ExtensionNotFound: One of them is not in the lock; the project was not changed.
    """
    with setting.writing() as writer:
        state = read_state(setting.project)
        entries = [_entry(state, name) for name in names]
        lock = state.lock
        for entry in entries:
            lock = lock.pin(entry.name, pinned=pinned)
        if writer is None:
            raise AssertionError("this command has no dry run")
        carry_out(writer, state, Intent(command="pin" if pinned else "unpin", lock=lock))
        return ChangeReport(
            root=setting.project.root,
            changes=tuple(_change(state, entry, pinned=pinned) for entry in entries),
            recovered=writer.recovered,
        )


def _entry(state: State, name: str) -> LockedExtension:
    known = known_name(state.view, name)
    entry = state.lock.get(known)
    if entry is None:
        raise ExtensionNotFound(
            rules.NOT_INSTALLED.problem(
                f"'{known}' is not in the lock; only what is can be pinned.", path=known
            )
        )
    return entry


def _change(state: State, entry: LockedExtension, *, pinned: bool) -> Change:
    action = Action.PINNED if pinned else Action.UNPINNED
    return Change(
        name=entry.name,
        action=Action.UNCHANGED if entry.pinned is pinned else action,
        version=entry.version,
        previous=entry.version,
        source=entry.source,
        path=f"extensions/{entry.name}",
        capabilities=entry.capabilities,
        requested=entry.name in state.wishes,
    )
