"""Lock: resolve the user's wishes again, and record what they come to; no copy is touched."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound, StoreError
from harnest_ext.manager import rules
from harnest_ext.manager.carrying import Intent, carry_out
from harnest_ext.manager.choosing import open_candidate
from harnest_ext.manager.gathering import Asked, open_source
from harnest_ext.manager.plan import Permission, unagreed
from harnest_ext.manager.question import given, installed
from harnest_ext.manager.report import Action, Change, ChangeReport
from harnest_ext.manager.staleness import reachable
from harnest_ext.manager.state import read_state
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.sources import FolderSource, WheelSource
from harnest_ext.store.lock import LockFile, SourceKind

if TYPE_CHECKING:
    from harnest_ext.identity import Slug
    from harnest_ext.manager.incoming import Incoming
    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedExtension
    from harnest_ext.store.wishes import Wish

__all__ = ["LockOptions", "changes_between", "lock", "relock"]

_IN_PLACE = {SourceKind.FOLDER, SourceKind.WHEEL, SourceKind.LINKED}


@dataclass(frozen=True, slots=True, kw_only=True)
class LockOptions:
    """How to resolve again.

    Attributes:
        permission: Who agrees to further capabilities.
        upgrade: Prefer newer releases to what is locked.
        prereleases: Consider pre-releases that nobody named.
        dry_run: Decide everything and write nothing.
    """

    permission: Permission = field(default_factory=Permission)
    upgrade: bool = False
    prereleases: bool = False
    dry_run: bool = False


def lock(setting: Setting, options: LockOptions) -> ChangeReport:
    """Resolve again and write the lock.

    Raises:
        HarnestExtensionError: The wishes can't be met; the project was not changed.
    """
    with setting.writing(dry_run=options.dry_run) as writer, ExitStack() as stack:
        state = read_state(setting.project)
        new, warnings = relock(setting, state, stack, options)
        if writer is not None:
            carry_out(writer, state, Intent(command="lock", lock=new))
        return ChangeReport(
            root=setting.project.root,
            changes=changes_between(state, new),
            warnings=warnings,
            recovered=writer is not None and writer.recovered,
            dry_run=options.dry_run,
        )


def relock(
    setting: Setting, state: State, stack: ExitStack, options: LockOptions
) -> tuple[LockFile, tuple[Problem, ...]]:
    """Return the lock that the wishes of ``state`` come to, and what was warned about.

    Raises:
        HarnestExtensionError: They can't be met, or nobody agrees to further capabilities.
    """
    asked = _asked(setting, state, stack)
    resolution = resolve(_question(setting, state, asked, options), setting.lookup)
    handed = {item.package.slug: item for item in asked.given}
    entries: dict[Slug, LockedExtension] = {}
    for name, selected in resolution.selected.items():
        wish, before = state.wishes.get(name), state.lock.get(name)
        if name in handed:
            entries[name] = handed[name].locked(before)
        elif selected.candidate.installed and before is not None:
            entries[name] = replace(before, requirement=wish.version if wish else "")
        else:
            item = open_candidate(setting, selected.candidate, stack, wish)
            entries[name] = item.locked(before)
    new = LockFile(entries=entries)
    needed = reachable(new, state.wishes)
    new = new.without(*(name for name in new.entries if name not in needed))
    _refuse_unagreed(state, new, options)
    return new, resolution.notes


def _question(
    setting: Setting, state: State, asked: Asked, options: LockOptions
) -> ResolutionRequest:
    kept = reachable(state.lock, state.wishes)
    old = [item for item in installed(state) if item.candidate.slug in kept]
    names = frozenset(item.candidate.slug for item in old)
    return ResolutionRequest(
        wanted=asked.wanted,
        given=given(list(asked.given)),
        installed=tuple(item for item in old if _stays(state, item.candidate.slug)),
        host=setting.host,
        upgrade=names if options.upgrade else frozenset(),
        prereleases=options.prereleases,
    )


def _refuse_unagreed(state: State, new: LockFile, options: LockOptions) -> None:
    found = (
        unagreed(state.lock.get(name), entry, options.permission)
        for name, entry in new.entries.items()
    )
    problems = [problem for problem in found if problem is not None]
    if problems:
        raise StoreError(problems, unchanged="The project was not changed.")


def changes_between(state: State, new: LockFile) -> tuple[Change, ...]:
    """Return what differs between the lock of ``state`` and ``new``, by name."""
    names = sorted({*state.lock.entries, *new.entries})
    return tuple(_change(state, name, state.lock.get(name), new.get(name)) for name in names)


def _change(
    state: State, name: str, before: LockedExtension | None, after: LockedExtension | None
) -> Change:
    entry = after or before
    if entry is None:
        raise AssertionError("a name of neither lock")
    changed = Action.LOCKED if after else Action.REMOVED
    added = {*entry.capabilities} - {*(before.capabilities if before else entry.capabilities)}
    return Change(
        name=name,
        action=Action.UNCHANGED if before == after else changed,
        version=entry.version,
        previous=before.version if before else "",
        source=entry.source,
        capabilities=entry.capabilities,
        added_capabilities=tuple(sorted(added)),
        requested=name in state.wishes,
    )


def _stays(state: State, name: Slug) -> bool:
    """Whether what is locked of ``name`` may stay: not so when it is asked for from elsewhere."""
    wish, entry = state.wishes.get(name), state.lock.entries[name]
    return wish is None or (not wish.path and entry.source.kind not in _IN_PLACE)


def _asked(setting: Setting, state: State, stack: ExitStack) -> Asked:
    handed: list[Incoming] = []
    wanted: list[ExtensionRequirement] = []
    for name, wish in state.wishes.items():
        if wish.path:
            handed.append(_opened(setting, name, wish, stack))
        else:
            wanted.append(ExtensionRequirement(slug=name, specifier=wish.version))
    return Asked(given=tuple(handed), wanted=tuple(wanted))


def _opened(setting: Setting, name: Slug, wish: Wish, stack: ExitStack) -> Incoming:
    path = _place(setting.project.root, wish.path)
    if not path.exists():
        raise ExtensionNotFound(
            rules.SOURCE_MISSING.problem(f"The source of '{name}' is not there.", path=wish.path)
        )
    source = FolderSource(path=path) if path.is_dir() else WheelSource(path=path)
    item = replace(open_source(setting, source, stack, link=wish.link), wish=wish)
    if item.package.slug != name:
        raise ExtensionNotFound(
            rules.SOURCE_DIFFERS.problem(
                f"The source of '{name}' holds another extension.",
                path=wish.path,
                expected=name,
                got=item.package.slug,
            )
        )
    return item


def _place(root: Path, location: str) -> Path:
    return Path(os.path.normpath(root / location))
