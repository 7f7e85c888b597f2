"""What came of bringing files back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SyncReport"]


@dataclass(slots=True, kw_only=True)
class SyncReport:
    """What was done and what was not, since the start; paths are relative to the project.

    Attributes:
        written: Files that were written or replaced on the host.
        deleted: Files that were deleted on the host.
        conflicts: Files that were changed on both sides: the host's stays, and the sandbox's is
            saved under the path that is given for each.
        kept: Files that were deleted in the sandbox and changed on the host; they stay.
        skipped: Links and special files, never followed, with what they are.
        failed: What could not be brought back, with the reason.
    """

    written: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    conflicts: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def counts(self) -> Mapping[str, int]:
        """Return how many there are of each kind."""
        return {name: len(getattr(self, name)) for name in self.__dataclass_fields__}
