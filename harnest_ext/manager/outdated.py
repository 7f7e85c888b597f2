"""Outdated: which extensions could be newer, without changing anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError, InvalidExtension
from harnest_ext.manager.findings import Outdated
from harnest_ext.manager.question import locked_path
from harnest_ext.manager.ranges import satisfies
from harnest_ext.package import open_package
from harnest_ext.resolution.ranges import version_key
from harnest_ext.store.lock import SourceKind
from harnest_ext.store.reader import installed_view
from harnest_ext.store.wishes import read_wishes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.manager.setting import Setting
    from harnest_ext.resolution import Candidate
    from harnest_ext.store.lock import LockedExtension
    from harnest_ext.store.wishes import Wish

__all__ = ["outdated"]


def outdated(setting: Setting, *, prereleases: bool = False) -> tuple[Outdated, ...]:
    """Return every locked extension and what could be installed instead.

    A source that fails is told in the note and the failure of its extension, and stops nothing
    else.

    Raises:
        InvalidExtension: The lock or `pyproject.toml` is not usable.
    """
    view = installed_view(setting.project)
    if view.problems:
        raise InvalidExtension(view.problems)
    wishes = read_wishes(setting.project.pyproject_path)
    return tuple(
        _looked_up(setting, entry, wishes, prereleases=prereleases)
        for entry in view.lock.entries.values()
    )


def _looked_up(
    setting: Setting, entry: LockedExtension, wishes: Mapping[Slug, Wish], *, prereleases: bool
) -> Outdated:
    if entry.linked:
        return _answer(entry, note="linked: it is always what its folder is")
    path = locked_path(entry.source, setting.project.root)
    try:
        if entry.source.kind in {SourceKind.FOLDER, SourceKind.WHEEL} and path is not None:
            return _from_path(setting, entry, path)
        wish = wishes.get(entry.name)
        found = [c for c in setting.lookup.candidates(entry.name) if _fits(setting, c)]
    except HarnestExtensionError as error:
        first = error.problems[0]
        return replace(_answer(entry, note=first.message), failure=first)
    return _from_releases(entry, wish.version if wish else "", found, prereleases=prereleases)


def _from_path(setting: Setting, entry: LockedExtension, path: Path) -> Outdated:
    if not path.exists():
        return _answer(entry, note="its source is not there")
    with open_package(path, host=setting.host) as package:
        same = package.digest == entry.digest
        note = "" if same else f"its {entry.source.kind.value} holds other content now"
        return _answer(entry, wanted=package.version, latest=package.version, note=note)


def _from_releases(
    entry: LockedExtension, specifier: str, found: list[Candidate], *, prereleases: bool
) -> Outdated:
    allowed = prereleases or version_key(entry.version).is_prerelease
    versions = sorted(
        (c.version for c in found if allowed or not version_key(c.version).is_prerelease),
        key=version_key,
    )
    newer = [v for v in versions if version_key(v) >= version_key(entry.version)]
    if not newer:
        return _answer(entry, note="no release of it was found" if not versions else "")
    wanted = [version for version in newer if satisfies(version, specifier)]
    return _answer(entry, wanted=wanted[-1] if wanted else "", latest=newer[-1])


def _fits(setting: Setting, candidate: Candidate) -> bool:
    return (
        candidate.yanked is None
        and candidate.objection is None
        and satisfies(setting.host.harnest_version, candidate.host_range or "")
        and satisfies(setting.host.python_version, candidate.requires_python or "")
    )


def _answer(
    entry: LockedExtension, *, wanted: str = "", latest: str = "", note: str = ""
) -> Outdated:
    return Outdated(
        name=entry.name,
        version=entry.version,
        wanted=wanted or entry.version,
        latest=latest or entry.version,
        source=entry.source,
        note=note,
        pinned=entry.pinned,
    )
