"""What `list` and `show` answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedSource
    from harnest_ext.store.view import CopyState

__all__ = ["ExtensionDetails", "Listing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionDetails:
    """All about one extension of the project.

    Attributes:
        name: Its name.
        version: Its version in the lock; empty when it has no entry.
        state: How its copy compares with the lock.
        incompatible: Why it can't be activated here; empty when nothing stands against it.
        path: Where it lies, relative to the project; empty when it does not.
        source: Where it came from.
        digest: Tree digest in the lock.
        requirement: What the user asked for; empty for any.
        requested: False when it came along as somebody's requirement.
        pinned: Whether ``upgrade`` leaves it alone.
        capabilities: What it may do.
        requires: Its requirements on other extensions.
        required_by: Extensions that require it.
        dependencies: Its requirements on Python packages.
        host_range: Harnest versions it is made for; empty for any.
        requires_python: Python versions it is made for; empty for any.
        shadows: Version of an installed distribution of the same extension that is not used
            because of this copy; empty when there is none.
        previous: Version that a rollback would bring back; empty when there is none.
        changes: Files of the copy that are not as they were installed.
    """

    name: str
    version: str = ""
    state: CopyState
    incompatible: str = ""
    path: str = ""
    source: LockedSource | None = None
    digest: str = ""
    requirement: str = ""
    requested: bool = False
    pinned: bool = False
    capabilities: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    required_by: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    host_range: str = ""
    requires_python: str = ""
    shadows: str = ""
    previous: str = ""
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is installed in a project.

    Attributes:
        root: The project.
        extensions: By name.
        interrupted: Whether the next writing command will finish an interrupted one.
        problems: What is wrong with the project's own files.
    """

    root: Path
    extensions: tuple[ExtensionDetails, ...] = ()
    interrupted: bool = False
    problems: tuple[Problem, ...] = ()
