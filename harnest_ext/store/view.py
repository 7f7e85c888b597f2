"""What is installed, as a reader finds it: never writes, and never loads an extension.

A journal that a killed command left is interpreted: what it promises counts as done.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedExtension, LockFile

__all__ = ["CopyState", "InstalledExtension", "InstalledView"]


class CopyState(enum.StrEnum):
    """How what lies in `extensions/` compares with the lock.

    ``OUT_OF_SYNC`` is a copy as it was installed, of which the lock now names other content;
    ``MODIFIED`` is one that was edited, or of which that can't be told.
    """

    OK = "ok"
    MODIFIED = "modified"
    OUT_OF_SYNC = "out of sync"
    MISSING = "missing"
    LINKED = "linked"
    NOT_IN_LOCK = "not in lock"
    FOREIGN = "foreign"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledExtension:
    """One name of the lock or of `extensions/`.

    Attributes:
        name: Name in the lock, or of the folder; a foreign entry's name need not be a slug.
        state: How the copy compares with the lock, by file stamps where there are some.
        path: Folder of the copy; absent when it is missing, or when what is there is no folder or
            has a name that no extension can have.
        locked: Its entry in the lock, if any.
    """

    name: str
    state: CopyState
    path: Path | None = None
    locked: LockedExtension | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledView:
    """Everything at one instant.

    Attributes:
        lock: What the lock says; empty when it can't be used, with the reason in ``problems``.
        extensions: By name, sorted.
        interrupted: Whether a writing command was killed and the next one will finish its work.
        problems: What is wrong with the project's own files.
    """

    lock: LockFile
    extensions: Mapping[str, InstalledExtension] = field(default_factory=dict)
    interrupted: bool = False
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        """Sort and freeze the mapping."""
        ordered = {name: self.extensions[name] for name in sorted(self.extensions)}
        object.__setattr__(self, "extensions", MappingProxyType(ordered))

    def get(self, name: Slug | str) -> InstalledExtension | None:
        """Return what is known under ``name``, or None."""
        return self.extensions.get(name)
