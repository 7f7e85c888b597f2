"""Upgrade: newer versions within what the user asked for, from where each extension comes."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound, StoreError
from harnest_ext.manager import rules
from harnest_ext.manager.gathering import Asked, open_source
from harnest_ext.manager.install import Installation, InstallOptions
from harnest_ext.manager.question import locked_path
from harnest_ext.manager.state import known_name, read_state
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.sources import FolderSource, WheelSource
from harnest_ext.store.lock import SourceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.manager.incoming import Incoming
    from harnest_ext.manager.report import ChangeReport
    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.store.lock import LockedExtension

__all__ = ["upgrade"]

_UNCHANGED = "The project was not changed."
_PATHS = {SourceKind.FOLDER, SourceKind.WHEEL}


def upgrade(setting: Setting, names: Sequence[str], options: InstallOptions) -> ChangeReport:
    """Install newer versions of extensions.

    Args:
        setting: The project, the host and the ports.
        names: Extensions; none for all that are not pinned.
        options: How; replacing by other content is allowed in any case.

    Raises:
        HarnestExtensionError: Something stands against it; the project was not changed.
    """
    options = replace(options, permission=replace(options.permission, upgrade=True))
    with setting.writing(dry_run=options.dry_run) as writer, ExitStack() as stack:
        state = read_state(setting.project)
        chosen = _choose(state, names)
        asked, notes = _asked(setting, state, chosen, stack, strict=bool(names))
        run = Installation(setting, state, options, stack, command="upgrade")
        report = run.run(asked, writer, upgrade=chosen.upgrade)
        return replace(report, notes=(*chosen.notes, *notes))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    entries: tuple[LockedExtension, ...]
    notes: tuple[str, ...] = ()

    @property
    def upgrade(self) -> frozenset[Slug]:
        """Names for which newer releases are looked up."""
        return frozenset(e.name for e in self.entries if e.source.kind not in _PATHS)


def _choose(state: State, names: Sequence[str]) -> _Choice:
    if not names:
        entries = [entry for entry in state.lock.entries.values() if not entry.linked]
        pinned = [entry for entry in entries if entry.pinned]
        return _Choice(
            entries=tuple(entry for entry in entries if not entry.pinned),
            notes=tuple(f"'{e.name}' is pinned to {e.version} and stays." for e in pinned),
        )
    entries = [_entry(state, known_name(state.view, name)) for name in names]
    pinned = [entry for entry in entries if entry.pinned]
    if pinned:
        raise StoreError(
            [
                rules.PINNED.problem(f"'{e.name}' is pinned to {e.version}.", path=e.name)
                for e in pinned
            ],
            unchanged=_UNCHANGED,
        )
    linked = tuple(f"'{e.name}' is linked: it is always what its folder is." for e in entries
                   if e.linked)  # fmt: skip
    return _Choice(entries=tuple(e for e in entries if not e.linked), notes=linked)


def _entry(state: State, name: str) -> LockedExtension:
    entry = state.lock.get(name)
    if entry is None:
        raise ExtensionNotFound(
            rules.NOT_INSTALLED.problem(
                f"'{name}' is not in the lock, so that nobody knows where it comes from.",
                path=f"extensions/{name}",
                remedy=f"Install it again from its source: harnest extensions install {name}",
            ),
            unchanged=_UNCHANGED,
        )
    return entry


def _asked(
    setting: Setting, state: State, chosen: _Choice, stack: ExitStack, *, strict: bool
) -> tuple[Asked, list[str]]:
    given: list[Incoming] = []
    wanted: list[ExtensionRequirement] = []
    notes: list[str] = []
    for entry in chosen.entries:
        wish = state.wishes.get(entry.name)
        if entry.source.kind not in _PATHS:
            if wish is not None:
                wanted.append(ExtensionRequirement(slug=entry.name, specifier=wish.version))
            continue
        path = locked_path(entry.source, state.project.root)
        if path is None or (not strict and not path.exists()):
            notes.append(f"'{entry.name}' stays: its source {entry.source.location} is not there.")
            continue
        kind = FolderSource if entry.source.kind is SourceKind.FOLDER else WheelSource
        item = open_source(setting, kind(path=path), stack, link=False)
        given.append(replace(item, wish=wish))
    return Asked(given=tuple(given), wanted=tuple(wanted)), notes
