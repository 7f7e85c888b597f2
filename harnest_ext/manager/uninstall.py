"""Uninstall: move the copy to the backups, and take the name out of lock and wishes.

Works whatever is wrong with the extension, and with a lock that can't be read, which is then left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.identity import Slug
from harnest_ext.manager import rules
from harnest_ext.manager.carrying import backup_record, record
from harnest_ext.manager.report import Action, Change, ChangeReport
from harnest_ext.manager.state import known_name, read_state, required_names
from harnest_ext.store import rules as store_rules
from harnest_ext.store.view import CopyState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.store.view import InstalledExtension
    from harnest_ext.store.writing import Writer

__all__ = ["uninstall"]

_UNCHANGED = "The project was not changed."


def uninstall(
    setting: Setting, names: Sequence[str], *, force: bool = False, dry_run: bool = False
) -> ChangeReport:
    """Remove extensions.

    Args:
        setting: The project and the ports.
        names: Extensions, in any spelling of their projects.
        force: Whether to remove what others require.
        dry_run: Whether to decide everything and write nothing.

    Raises:
        ExtensionNotFound: One of them is not there.
        StoreError: Others require it, or it can't be removed; the project was not changed.
    """
    with setting.writing(dry_run=dry_run) as writer:
        state = read_state(setting.project, tolerant=True)
        wanted = sorted({known_name(state.view, name) for name in names})
        items = [state.view.extensions[name] for name in wanted]
        _refuse_foreign(items)
        if not force:
            _refuse_required(state, wanted)
        if writer is not None:
            _remove(writer, state, items)
        return ChangeReport(
            root=setting.project.root,
            changes=tuple(_change(state, item) for item in items),
            notes=tuple(_unneeded(state, wanted)),
            warnings=state.view.problems,
            recovered=writer is not None and writer.recovered,
            dry_run=dry_run,
        )


def _remove(writer: Writer, state: State, items: list[InstalledExtension]) -> None:
    with writer.change("uninstall") as change:
        for item in items:
            linked = item.locked is not None and item.locked.linked
            if item.path is not None and not linked:
                change.move_out(Slug(item.name), backup_record(state, item))
            else:
                change.stamp(Slug(item.name), None)
        names = [item.name for item in items]
        # A lock that can't be read is the user's to mend: an empty one must not take its place.
        usable = not state.view.problems
        lock = state.lock.without(*names) if usable else None
        record(change, state, lock=lock, drop=names)
        change.commit()


def _change(state: State, item: InstalledExtension) -> Change:
    entry = item.locked
    return Change(
        name=item.name,
        action=Action.REMOVED,
        version=entry.version if entry else "",
        previous=entry.version if entry else "",
        source=entry.source if entry else None,
        requested=item.name in state.wishes,
    )


def _refuse_foreign(items: list[InstalledExtension]) -> None:
    problems = [
        store_rules.DESTINATION.problem(
            f"extensions/{item.name} is not a copy of an extension; it is left alone.",
            path=f"extensions/{item.name}",
            remedy="Remove it by hand if nobody needs it.",
        )
        for item in items
        if item.state is CopyState.FOREIGN and item.locked is None
    ]
    if problems:
        raise StoreError(problems, unchanged=_UNCHANGED)


def _refuse_required(state: State, names: list[str]) -> None:
    problems = []
    for name in names:
        others = [other for other in state.requirers(name) if other not in names]
        if others:
            problems.append(
                rules.REQUIRED.problem(
                    f"'{name}' is required by {', '.join(others)}.",
                    path=name,
                    got=", ".join(others),
                )
            )
    if problems:
        raise StoreError(problems, unchanged=_UNCHANGED)


def _unneeded(state: State, names: list[str]) -> list[str]:
    """Say what came along as a requirement and is now required by nobody."""
    left = {name: entry for name, entry in state.lock.entries.items() if name not in names}
    needed = set().union(*(required_names(entry) for entry in left.values()))
    return [
        f"'{name}' came along as a requirement and is no longer required; to remove it: "
        f"harnest extensions uninstall {name}"
        for name in left
        if name not in state.wishes and name not in needed and state.requirers(name)
    ]
