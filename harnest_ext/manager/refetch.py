"""Get again exactly the package that a lock entry names, or refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import ExtensionNotFound, InvalidExtension
from harnest_ext.manager import rules
from harnest_ext.manager.incoming import Incoming, told_of
from harnest_ext.manager.question import locked_path
from harnest_ext.package import open_package
from harnest_ext.store.lock import SourceKind

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    from harnest_ext.manager.setting import Setting
    from harnest_ext.store.lock import LockedExtension

__all__ = ["fetch_locked"]

_UNCHANGED = "The project was not changed."


def fetch_locked(setting: Setting, entry: LockedExtension, stack: ExitStack) -> Incoming:
    """Return the package of ``entry``, open until ``stack`` ends.

    Raises:
        ExtensionNotFound: rule ``sync.source-missing``: its source is not there.
        InvalidExtension: rule ``sync.source-differs``: it is not what was locked.
        SourceError: A registry or index failed.
    """
    path = _located(setting, entry)
    what = f"{entry.source.kind.value} {entry.source.location}".rstrip()
    with told_of(what):
        package = stack.enter_context(open_package(path, host=setting.host))
    found = package.archive.sha256 if package.archive else ""
    if package.slug != entry.name or package.digest != entry.digest or found != entry.wheel_sha256:
        raise InvalidExtension(
            rules.SOURCE_DIFFERS.problem(
                f"The source of '{entry.name}' is not what the lock names.",
                path=entry.source.location,
                expected=f"{entry.version}, {entry.digest}",
                got=f"{package.slug} {package.version}, {package.digest}",
            ),
            unchanged=_UNCHANGED,
        )
    return Incoming(package=package, source=entry.source)


def _located(setting: Setting, entry: LockedExtension) -> Path:
    path = locked_path(entry.source, setting.project.root)
    if path is None:
        return _looked_up(setting, entry)
    if entry.source.kind is SourceKind.FIND_LINKS:
        path /= entry.source.file
    if not path.exists():
        raise _missing(entry, f"nothing is at {entry.source.location}")
    return path


def _looked_up(setting: Setting, entry: LockedExtension) -> Path:
    for candidate in setting.lookup.candidates(entry.name):
        if candidate.sha256 == entry.wheel_sha256:
            return setting.lookup.fetch(candidate)
    where = f"{entry.source.kind.value} {entry.source.location}".strip()
    raise _missing(entry, f"{where} has no wheel of version {entry.version} with the locked hash")


def _missing(entry: LockedExtension, reason: str) -> ExtensionNotFound:
    return ExtensionNotFound(
        rules.SOURCE_MISSING.problem(
            f"The source of '{entry.name}' is not there: {reason}.",
            path=entry.source.location,
            expected=f"{entry.source.kind.value} of {entry.name} {entry.version}",
        ),
        unchanged=_UNCHANGED,
    )
