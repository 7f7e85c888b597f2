"""What `outdated`, `verify` and `doctor` answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedSource
    from harnest_ext.store.view import CopyState

__all__ = ["Finding", "Outdated", "VerifiedExtension"]


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
        failure: Why it could not be looked up; None when it was.
        pinned: Whether ``upgrade`` leaves it alone.
    """

    name: str
    version: str
    wanted: str
    latest: str
    source: LockedSource
    note: str = ""
    failure: Problem | None = None
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
