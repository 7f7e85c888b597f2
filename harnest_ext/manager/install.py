"""Install: tell sources apart, open, choose, decide, copy, record."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.manager import rules
from harnest_ext.manager.carrying import Intent, carry_out, to_change
from harnest_ext.manager.choosing import open_candidate
from harnest_ext.manager.gathering import gather, tell_apart
from harnest_ext.manager.plan import Permission, Step, changed_files, plan_steps
from harnest_ext.manager.question import given, installed
from harnest_ext.manager.refetch import fetch_locked
from harnest_ext.manager.report import Action, ChangeReport
from harnest_ext.manager.state import State, read_state
from harnest_ext.manager.wishing import wishes_by_name
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.store.lock import SourceKind
from harnest_ext.store.view import CopyState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.manager.gathering import Asked
    from harnest_ext.manager.incoming import Incoming
    from harnest_ext.manager.setting import Setting
    from harnest_ext.resolution import Resolution
    from harnest_ext.store.wishes import Wish
    from harnest_ext.store.writing import Writer

__all__ = ["InstallOptions", "Installation", "install"]

_UNCHANGED = "The project was not changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallOptions:
    """How to install.

    Attributes:
        permission: What may be replaced, and with which capabilities.
        link: Run folders in place instead of copying them.
        no_deps: Refuse instead of installing what is required and missing.
        prereleases: Consider pre-releases that nobody named.
        cooldown: Pass over releases of an index younger than this many days; 0 for none.
        dry_run: Decide everything and write nothing.
    """

    permission: Permission = field(default_factory=Permission)
    link: bool = False
    no_deps: bool = False
    prereleases: bool = False
    cooldown: int = 0
    dry_run: bool = False


def install(
    setting: Setting, arguments: Sequence[str], options: InstallOptions, cwd: Path
) -> ChangeReport:
    """Install what ``arguments`` name, and what that requires.

    Raises:
        HarnestExtensionError: Something stands against it; the project was not changed.
    """
    sources = tell_apart(setting, arguments, cwd)
    with setting.writing(dry_run=options.dry_run) as writer, ExitStack() as stack:
        state = read_state(setting.project)
        asked = gather(setting, sources, stack, link=options.link)
        return Installation(setting, state, options, stack).run(asked, writer)


class Installation:
    """One run of choosing, deciding and writing, on a state that nobody else changes.

    Args:
        setting: The project, the host and the ports.
        state: What was found in the project.
        options: How to install.
        stack: Closes the packages that are opened.
        command: Name of the command, for the journal.
    """

    def __init__(
        self,
        setting: Setting,
        state: State,
        options: InstallOptions,
        stack: ExitStack,
        *,
        command: str = "install",
    ) -> None:
        self._setting = setting
        self._state = state
        self._options = options
        self._stack = stack
        self._command = command

    def run(
        self, asked: Asked, writer: Writer | None, *, upgrade: frozenset[Slug] = frozenset()
    ) -> ChangeReport:
        """Install what was asked and answer what was done.

        Args:
            asked: Packages and names.
            writer: The project held for writing; None for a dry run.
            upgrade: Names for which a newer release is preferred to the installed one.

        Raises:
            HarnestExtensionError: Something stands against it; the project was not changed.
        """
        resolution = self._resolve(asked, upgrade)
        wishes = {item.package.slug: item.wish for item in asked.given if item.wish}
        wishes |= wishes_by_name(self._setting, self._state, asked.wanted, resolution)
        incoming, kept = self._incoming(asked, resolution, wishes)
        steps = (*plan_steps(self._state, incoming, self._options.permission), *kept)
        if writer is not None:
            intent = Intent(command=self._command, steps=steps, wishes=wishes)
            carry_out(writer, self._state, intent)
        ordered = sorted(steps, key=lambda step: resolution.order.index(step.name))
        return ChangeReport(
            root=self._setting.project.root,
            changes=tuple(to_change(step, self._state, wishes) for step in ordered),
            warnings=(*resolution.notes, *(w for i in incoming for w in i.package.warnings)),
            notes=self._pinned(asked),
            recovered=writer is not None and writer.recovered,
            dry_run=writer is None,
        )

    def _pinned(self, asked: Asked) -> tuple[str, ...]:
        """Why what was to be upgraded by its name stays what it is."""
        if not self._options.permission.upgrade:
            return ()
        entries = (self._state.lock.get(item.slug) for item in asked.wanted)
        return tuple(
            f"'{entry.name}' is pinned to {entry.version} and stays."
            for entry in entries
            if entry is not None and entry.pinned
        )

    def _resolve(self, asked: Asked, upgrade: frozenset[Slug]) -> Resolution:
        if self._options.permission.upgrade:
            upgrade |= {item.slug for item in asked.wanted}
        oldest = timedelta(days=self._options.cooldown)
        question = ResolutionRequest(
            wanted=asked.wanted,
            given=given(list(asked.given)),
            installed=installed(self._state),
            host=self._setting.host,
            upgrade=upgrade,
            prereleases=self._options.prereleases,
            newest_upload=self._setting.now() - oldest if self._options.cooldown else None,
            add_missing=not self._options.no_deps,
        )
        return resolve(question, self._setting.lookup)

    def _incoming(
        self, asked: Asked, resolution: Resolution, wishes: Mapping[Slug, Wish]
    ) -> tuple[list[Incoming], list[Step]]:
        """Open everything that was chosen and is not there; steps for what stays as it is."""
        handed = {item.package.slug: item for item in asked.given}
        incoming: list[Incoming] = []
        kept: list[Step] = []
        for name in resolution.order:
            if name in handed:
                incoming.append(handed[name])
            elif not resolution.selected[name].candidate.installed:
                candidate = resolution.selected[name].candidate
                item = open_candidate(self._setting, candidate, self._stack, wishes.get(name))
                incoming.append(item)
            elif name in asked.names:
                step = self._kept(name, wishes[name])
                if step is not None:
                    kept.append(step)
                else:
                    again = fetch_locked(self._setting, self._state.lock.entries[name], self._stack)
                    incoming.append(replace(again, wish=wishes[name]))
        return incoming, kept

    def _kept(self, name: Slug, wish: Wish) -> Step | None:
        """Return the step for a copy that stays; None when it has to be made anew."""
        present = self._state.view.extensions[name]
        before = self._state.lock.entries[name]
        if present.state is CopyState.MISSING and before.source.kind is not SourceKind.LINKED:
            return None
        if present.state is CopyState.OUT_OF_SYNC:
            return None
        if present.state in {CopyState.MODIFIED, CopyState.UNREADABLE}:
            if self._options.permission.force:
                return None
            if self._command == "install":
                raise self._local_changes(name)
        return Step(
            name=name,
            action=Action.UNCHANGED,
            entry=replace(before, requirement=wish.version),
            before=before,
            present=present,
        )

    def _local_changes(self, name: Slug) -> StoreError:
        path = self._state.view.extensions[name].path
        return StoreError(
            rules.LOCAL_CHANGES.problem(
                f"The copy of '{name}' was changed by hand; it is left as it is.",
                path=f"extensions/{name}",
                got=", ".join(changed_files(self._state, name, path)) if path else "",
            ),
            unchanged=_UNCHANGED,
        )
