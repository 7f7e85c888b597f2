"""Look at a project and its environment for everything that the doctor knows; read only."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from harnest_ext.distributions import installed_extensions
from harnest_ext.errors import HarnestExtensionError, StoreError
from harnest_ext.manager import rules as manager_rules
from harnest_ext.manager.consistency import inconsistencies
from harnest_ext.manager.findings import Finding
from harnest_ext.manager.mending import wrong_modes
from harnest_ext.manager.rules import doctor as rules
from harnest_ext.manager.staleness import staleness
from harnest_ext.manager.verify import verify
from harnest_ext.store import layout
from harnest_ext.store import rules as store_rules
from harnest_ext.store.folder import Folder
from harnest_ext.store.journal import read_journal
from harnest_ext.store.leftovers import find_leftovers
from harnest_ext.store.reader import installed_view
from harnest_ext.store.view import CopyState
from harnest_ext.store.wishes import read_wishes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.manager.setting import Setting
    from harnest_ext.store.project import Project
    from harnest_ext.store.view import InstalledView

__all__ = ["diagnose"]

_STATES = {
    CopyState.MISSING: (rules.MISSING, "The copy of '{name}' is not there.", True),
    CopyState.MODIFIED: (rules.MODIFIED, "The copy of '{name}' is not what was installed.", True),
    CopyState.OUT_OF_SYNC: (rules.OUT_OF_SYNC, "The lock names other content of '{name}'.", True),
    CopyState.UNREADABLE: (rules.MODIFIED, "The copy of '{name}' can't be read.", False),
    CopyState.NOT_IN_LOCK: (rules.NOT_IN_LOCK, "'{name}' is not in the lock.", False),
    CopyState.FOREIGN: (rules.FOREIGN, "'{name}' is not a copy of an extension.", False),
}


def diagnose(setting: Setting) -> tuple[Finding, ...]:
    """Return everything that is wrong, the project's own files first."""
    project = setting.project
    view = installed_view(project)
    return (
        *_folders(project),
        *_journal(project),
        *_leftovers(project),
        *_files(project, view),
        *_copies(project, view),
        *_modes(project, view),
        *(Finding(problem=p) for p in inconsistencies(view.lock, setting.host)),
        *_environment(view),
    )


def _journal(project: Project) -> Iterator[Finding]:
    try:
        journal = read_journal(project.root)
    except StoreError as error:
        yield Finding(
            problem=rules.JOURNAL.problem(error.problems[0].message, path=layout.JOURNAL_PATH),
            fixable=True,
        )
        return
    if journal is not None:
        message = f"`{journal.command}` was interrupted and will be finished."
        problem = rules.INTERRUPTED.problem(message, path=layout.JOURNAL_PATH)
        yield Finding(problem=problem, fixable=True)


def _folders(project: Project) -> Iterator[Finding]:
    """What nothing can be written to, or looked for, because of a folder on the way."""
    for path in (layout.EXTENSIONS_NAME, layout.STATE_PATH):
        try:
            mode = (project.root / path).lstat().st_mode
        except OSError:
            # Not there is fine; not to be seen is told of the folder above.
            return
        if not stat.S_ISDIR(mode):
            message = f"{path} is a link or of the wrong type."
            problem = store_rules.DESTINATION.problem(
                message, path=path, expected="a regular folder"
            )
            yield Finding(problem=problem)
            return
        if not os.access(project.root / path, os.R_OK | os.X_OK):
            problem = store_rules.UNREADABLE.problem(
                f"{path} can't be looked at: permission denied.",
                path=path,
                remedy="Give yourself permission to read it.",
            )
            yield Finding(problem=problem)
            return


def _leftovers(project: Project) -> Iterator[Finding]:
    try:
        with Folder.project(project.root) as root:
            found = find_leftovers(root)
    except StoreError as error:
        yield Finding(problem=error.problems[0])
        return
    for path in found:
        message = "An interrupted command left this."
        yield Finding(problem=rules.LEFTOVERS.problem(message, path=path), fixable=True)


def _files(project: Project, view: InstalledView) -> Iterator[Finding]:
    for problem in view.problems:
        if problem.path != layout.JOURNAL_PATH:
            yield Finding(problem=problem)
    try:
        wishes = read_wishes(project.pyproject_path)
    except HarnestExtensionError as error:
        yield from (Finding(problem=problem) for problem in error.problems)
        return
    if not view.problems:
        for reason in staleness(view.lock, wishes, project.root):
            problem = rules.STALE.problem(reason, path=layout.LOCK_NAME)
            yield Finding(problem=problem, fixable=True)


def _copies(project: Project, view: InstalledView) -> Iterator[Finding]:
    found, problems = verify(project)
    for item in found:
        entry = view.lock.get(item.name)
        if item.state is CopyState.MISSING and entry is not None and entry.linked:
            problem = manager_rules.SOURCE_MISSING.problem(
                f"The folder that '{item.name}' is linked to is not there.",
                path=entry.source.location,
            )
            yield Finding(problem=problem)
        elif item.state in _STATES:
            rule, message, fixable = _STATES[item.state]
            yield Finding(
                problem=rule.problem(
                    message.format(name=item.name),
                    path=f"{layout.EXTENSIONS_NAME}/{item.name}",
                    got=", ".join(item.files),
                ),
                # Without a lock that can be used nobody knows what belongs there.
                fixable=fixable and not problems,
            )


def _modes(project: Project, view: InstalledView) -> Iterator[Finding]:
    for item in view.extensions.values():
        if item.path is None or item.state in {CopyState.LINKED, CopyState.FOREIGN}:
            continue
        try:
            wrong = wrong_modes(item.path)
        except OSError as error:
            wrong = []
            yield Finding(
                problem=rules.MODES.problem(
                    f"The copy of '{item.name}' can't be looked at: {error.strerror}.",
                    path=f"{layout.EXTENSIONS_NAME}/{item.name}",
                )
            )
        if wrong:
            shown = ", ".join(os.path.relpath(path, project.root) for path, _ in wrong[:3])
            more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
            yield Finding(
                problem=rules.MODES.problem(
                    f"The copy of '{item.name}' has wrong permissions.",
                    path=f"{layout.EXTENSIONS_NAME}/{item.name}",
                    got=shown + more,
                ),
                fixable=True,
            )


def _environment(view: InstalledView) -> Iterator[Finding]:
    environment = installed_extensions()
    for problem in environment.problems:
        yield Finding(problem=rules.UNREADABLE.problem(problem.message, path=problem.path))
    for name, found in environment.extensions.items():
        if name in view.extensions:
            problem = rules.SHADOWED.problem(
                f"{found.distribution} {found.version} in the environment is not used: the "
                f"project has '{name}' itself.",
                path=found.distribution,
            )
            yield Finding(problem=problem)
    for entry in view.lock.entries.values():
        for requirement in entry.dependencies:
            reason = _unmet(requirement)
            if reason:
                message = f"'{entry.name}' requires {requirement}, and {reason}."
                yield Finding(problem=rules.DEPENDENCY.problem(message, path=entry.name))


def _unmet(text: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - the doctor only

    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - likewise

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return "nobody can read that requirement"
    if requirement.marker is not None and not requirement.marker.evaluate():
        return ""
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        return "it is not installed"
    if not requirement.specifier.contains(found, prereleases=True):
        return f"{found} is installed"
    return ""
