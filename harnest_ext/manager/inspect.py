"""List and show: what is installed, from where, in what state. Reads only, and imports little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.identity import Slug
from harnest_ext.manager.consistency import objection
from harnest_ext.manager.details import ExtensionDetails, Listing
from harnest_ext.manager.shadowing import distribution_versions
from harnest_ext.manager.state import known_name, required_names
from harnest_ext.store.backups import find_backup
from harnest_ext.store.reader import installed_view
from harnest_ext.store.stamps import read_stamps
from harnest_ext.store.wishes import read_wishes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.host import Host
    from harnest_ext.problem import Problem
    from harnest_ext.store.project import Project
    from harnest_ext.store.view import InstalledExtension, InstalledView
    from harnest_ext.store.wishes import Wish

__all__ = ["listing", "show"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What is the same for all extensions of one answer."""

    host: Host
    view: InstalledView
    wishes: Mapping[Slug, Wish]
    requirers: Mapping[str, list[str]]
    shadowed: Mapping[str, str]


def listing(project: Project, host: Host) -> Listing:
    """Return everything that is installed in ``project``, sorted by name.

    Files of the project that can't be used are told in the answer's problems.
    """
    return _listing(project, host, installed_view(project))


def _listing(project: Project, host: Host, view: InstalledView) -> Listing:
    wishes, problems = _wishes(project)
    facts = _Facts(
        host=host,
        view=view,
        wishes=wishes,
        requirers=_requirers(view),
        shadowed=distribution_versions(),
    )
    return Listing(
        root=project.root,
        extensions=tuple(_details(facts, item) for item in view.extensions.values()),
        interrupted=view.interrupted,
        problems=(*view.problems, *problems),
    )


def show(project: Project, host: Host, name: str) -> tuple[ExtensionDetails, tuple[Problem, ...]]:
    """Return all about one extension, and what is wrong with the project's own files.

    Raises:
        ExtensionNotFound: Nothing of that name is there; close names are told.
    """
    view = installed_view(project, only=name)
    if name not in view.extensions:
        # Another spelling, or a name that is not there: what is there tells which.
        view = installed_view(project)
    found = _listing(project, host, view)
    wanted = known_name(view, name)
    details = next(item for item in found.extensions if item.name == wanted)
    return _complete(project, view, details), found.problems


def _complete(project: Project, view: InstalledView, details: ExtensionDetails) -> ExtensionDetails:
    item = view.extensions[details.name]
    try:
        backup = find_backup(project.root, Slug(details.name))
    except HarnestExtensionError:
        # A name that is none has no backup, and a broken one is the doctor's to tell.
        backup = None
    changes: tuple[str, ...] = ()
    stamps = read_stamps(project.root).get(details.name)
    if stamps is not None and item.path is not None and item.state == "modified":
        changes = stamps.changes(item.path)
    previous = backup.entry.version if backup and backup.entry else ""
    return replace(details, previous=previous, changes=changes)


def _wishes(project: Project) -> tuple[Mapping[Slug, Wish], tuple[Problem, ...]]:
    try:
        return read_wishes(project.pyproject_path), ()
    except HarnestExtensionError as error:
        return {}, error.problems


def _requirers(view: InstalledView) -> dict[str, list[str]]:
    requirers: dict[str, list[str]] = {}
    for entry in view.lock.entries.values():
        for name in required_names(entry):
            requirers.setdefault(name, []).append(entry.name)
    return requirers


def _details(facts: _Facts, item: InstalledExtension) -> ExtensionDetails:
    entry = item.locked
    required_by = tuple(facts.requirers.get(item.name, ()))
    shadows = facts.shadowed.get(item.name, "")
    if entry is None:
        path = f"extensions/{item.name}"
        return ExtensionDetails(
            name=item.name,
            state=item.state,
            path=path,
            requested=item.name in facts.wishes,
            required_by=required_by,
            shadows=shadows,
        )
    return ExtensionDetails(
        name=item.name,
        version=entry.version,
        state=item.state,
        incompatible=objection(entry, facts.view.lock, facts.host),
        path=entry.source.location if entry.linked else f"extensions/{item.name}",
        source=entry.source,
        digest=entry.digest,
        requirement=entry.requirement,
        requested=entry.name in facts.wishes,
        pinned=entry.pinned,
        capabilities=entry.capabilities,
        requires=entry.requires,
        required_by=required_by,
        dependencies=entry.dependencies,
        host_range=entry.host_range,
        requires_python=entry.requires_python,
        shadows=shadows,
    )
