"""What a command that changes a project answers with."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedSource

__all__ = ["Action", "Change", "ChangeReport"]


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
