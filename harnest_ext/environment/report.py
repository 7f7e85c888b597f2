"""What a synchronisation of the environment came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.environment.demands import Demand

__all__ = ["PackageChange", "SyncReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageChange:
    """One Python package that is installed or changed.

    Attributes:
        name: Normalised name.
        version: Version afterwards.
        previous: Version before; empty when it was not there.
    """

    name: str
    version: str
    previous: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """The answer.

    Attributes:
        lock: The ``pylock.harnest.toml``.
        python: Interpreter of the environment.
        demands: What was asked for, with who asks.
        changes: What was installed or changed, by name; with ``dry_run`` what would be.
        lock_changed: Whether the lock was written, or would be.
        dry_run: Whether nothing was written or installed.
    """

    lock: Path
    python: Path
    demands: tuple[Demand, ...]
    changes: tuple[PackageChange, ...]
    lock_changed: bool
    dry_run: bool
