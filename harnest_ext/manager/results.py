"""What commands answer with; the command line renders these as text or JSON."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedSource
    from harnest_ext.store.view import CopyState

__all__ = [
    "Action",
    "Change",
    "ChangeReport",
    "ExtensionDetails",
    "Finding",
    "Listing",
    "Outdated",
    "VerifiedExtension",
]


class Action(enum.StrEnum):
    """What was done with one extension."""

    INSTALLED = "installed"
    UPGRADED = "upgraded"
    DOWNGRADED = "downgraded"
    REPLACED = "replaced"
    RESTORED = "restored"
    LINKED = "linked"
    REMOVED = "removed"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    LOCKED = "locked"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One extension, and what was done with it.

    Attributes:
        name: Its name.
        action: What was done.
        version: Its version now; the removed one after a removal.
        previous: The version before; empty when there was none.
        source: Where it came from; None when that is not known.
        path: Where it lies, relative to the project; empty when it does not.
        capabilities: What it may do now.
        added_capabilities: Those among them that it could not do before.
        requested: False when it came along as somebody's requirement.
    """

    name: str
    action: Action
    version: str = ""
    previous: str = ""
    source: LockedSource | None = None
    path: str = ""
    capabilities: tuple[str, ...] = ()
    added_capabilities: tuple[str, ...] = ()
    requested: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReport:
    """What a writing command did.

    Attributes:
        root: The project.
        changes: One for each extension, in the order of installation or of name.
        notes: What the user should know, one sentence each.
        warnings: What packages or sources were warned about.
        recovered: Whether something an interrupted command had left was put right first.
        dry_run: Whether nothing was written.
    """

    root: Path
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    recovered: bool = False
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything was, or would be, done."""
        return any(change.action is not Action.UNCHANGED for change in self.changes)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """One extension and what could be installed instead.

    Attributes:
        name: Its name.
        version: Its version now.
        wanted: Newest version within what was asked for.
        latest: Newest version of all that fit this host.
        source: Where it comes from.
        note: Why there is nothing newer, or what stands against it; may be empty.
        pinned: Whether ``upgrade`` leaves it alone.
    """

    name: str
    version: str
    wanted: str
    latest: str
    source: LockedSource
    note: str = ""
    pinned: bool = False

    @property
    def outdated(self) -> bool:
        """Whether there is something else to install, whatever was asked for."""
        return self.latest != self.version or "other content" in self.note


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedExtension:
    """One extension, hashed against the lock.

    Attributes:
        name: Its name.
        state: What was found.
        expected: Digest in the lock.
        found: Digest of the copy; empty when it holds what no copy has, or is not there.
        files: A line for each file that differs, as far as files can be told apart.
    """

    name: str
    state: CopyState
    expected: str = ""
    found: str = ""
    files: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether it is what the lock says."""
        return self.state.value in {"ok", "linked"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the doctor found.

    Attributes:
        problem: What is wrong and how to repair it.
        fixable: Whether ``--fix`` repairs it.
        fixed: Whether it was repaired.
        refusal: Why repairing it was refused; empty when it was not tried or not refused.
    """

    problem: Problem
    fixable: bool = False
    fixed: bool = False
    refusal: str = ""
