"""What a seatbelt sandbox is declared with, checked before anything is started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from harnest.execution.local.provider import checks
from harnest.execution.local.provider.confined import ConfinedSettings
from harnest.execution.local.provider.settings import LocalLimits, LocalScope

from . import limits

__all__ = ["PREFIX", "SeatbeltLimits", "SeatbeltScope", "SeatbeltSettings"]

PREFIX: Final = "harnest-seatbelt"
"""Begin of the names of this extension's work directories and private folders."""

SeatbeltScope = LocalScope


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatbeltLimits(LocalLimits):
    """What the kernel holds each process of a program to; nothing of macOS bounds all together.

    Attributes:
        cpu_seconds: CPU time, at least 1; beyond it the process gets SIGXCPU.
        file_bytes: Size of a file that is written, at least 1; beyond it writing fails.
        open_files: Open descriptors, at least 16.
        address_space_bytes: Virtual memory, at least 64 MiB, where this macOS heeds it; None for
            no limit.

    Raises:
        ValueError: A value is no int, or out of bounds.
    """

    address_space_bytes: int | None = None

    def __post_init__(self) -> None:
        LocalLimits.__post_init__(self)
        if self.address_space_bytes is not None:
            least = limits.ADDRESS_SPACE_BYTES_MINIMUM
            checks.number("address_space_bytes", self.address_space_bytes, least)

    def named(self) -> dict[str, int]:
        """Return the limits by their names in the ``resource`` module."""
        wanted = LocalLimits.named(self)
        if self.address_space_bytes is not None:
            wanted["RLIMIT_AS"] = self.address_space_bytes
        return wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatbeltSettings(ConfinedSettings):
    """One declaration, complete.

    Attributes:
        limits: Limits of each process. The others are those of every sandbox that confines.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
    """

    limits: SeatbeltLimits = field(default_factory=SeatbeltLimits)

    def __post_init__(self) -> None:
        ConfinedSettings.__post_init__(self)
        checks.typed("limits", self.limits, (SeatbeltLimits,))
