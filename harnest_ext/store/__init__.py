"""Where packages end up: the agent project's files, written so that no crash leaves half of it."""

from harnest_ext.store.lock import LockedExtension, LockedSource, LockFile, SourceKind
from harnest_ext.store.lockfile import parse_lock, read_lock, render_lock
from harnest_ext.store.project import Project
from harnest_ext.store.reader import installed_view
from harnest_ext.store.view import CopyState, InstalledExtension, InstalledView

__all__ = [
    "CopyState",
    "InstalledExtension",
    "InstalledView",
    "LockFile",
    "LockedExtension",
    "LockedSource",
    "Project",
    "SourceKind",
    "installed_view",
    "parse_lock",
    "read_lock",
    "render_lock",
]
