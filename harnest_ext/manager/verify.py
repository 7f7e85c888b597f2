"""Verify: hash every copy and compare it with the lock, file by file where that can be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manager.findings import VerifiedExtension
from harnest_ext.package import digest_of_folder
from harnest_ext.store.reader import installed_view
from harnest_ext.store.stamps import read_stamps
from harnest_ext.store.view import CopyState

if TYPE_CHECKING:
    from harnest_ext.problem import Problem
    from harnest_ext.store.project import Project
    from harnest_ext.store.stamps import CopyStamps
    from harnest_ext.store.view import InstalledExtension

__all__ = ["verify"]


def verify(project: Project) -> tuple[tuple[VerifiedExtension, ...], tuple[Problem, ...]]:
    """Return what every copy is, hashed, and what is wrong with the project's own files.

    Nothing is written, and no stamp is trusted.
    """
    view = installed_view(project)
    stamps = read_stamps(project.root)
    found = tuple(_verified(item, stamps.get(item.name)) for item in view.extensions.values())
    return found, view.problems


def _verified(item: InstalledExtension, stamps: CopyStamps | None) -> VerifiedExtension:
    entry = item.locked
    if entry is None or entry.linked or item.path is None:
        return VerifiedExtension(
            name=item.name, state=item.state, expected=entry.digest if entry else ""
        )
    try:
        found = digest_of_folder(item.path)
    except OSError:
        return VerifiedExtension(name=item.name, state=CopyState.UNREADABLE, expected=entry.digest)
    if found.digest == entry.digest:
        return VerifiedExtension(
            name=item.name, state=CopyState.OK, expected=entry.digest, found=found.digest
        )
    files = stamps.changes(item.path) if stamps else ()
    odd = tuple(f"{path} (irregular)" for path in found.irregular)
    as_installed = stamps is not None and stamps.digest == found.digest
    return VerifiedExtension(
        name=item.name,
        state=CopyState.OUT_OF_SYNC if as_installed else CopyState.MODIFIED,
        expected=entry.digest,
        found=found.digest,
        files=tuple(dict.fromkeys((*files, *odd))),
    )
