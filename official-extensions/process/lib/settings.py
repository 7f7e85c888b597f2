"""What a process sandbox is declared with, checked before anything is started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from harnest.execution.local.provider import checks
from harnest.execution.local.provider.settings import LocalLimits, LocalScope, LocalSettings

from . import limits

__all__ = ["PREFIX", "ProcessLimits", "ProcessScope", "ProcessSettings"]

PREFIX: Final = "harnest-process"
"""Begin of the names of this extension's work directories."""

ProcessScope = LocalScope


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits(LocalLimits):
    """What the kernel holds each process of a program to; lowered to the host's hard limits.

    Attributes:
        cpu_seconds: CPU time, at least 1; beyond it the process gets SIGXCPU.
        file_bytes: Size of a file that is written; beyond it writing fails.
        open_files: Open descriptors, at least 16.
        processes: Processes and threads of the whole program, at least 1, held by a control group;
            refused when the sandbox is built where none can be made. None for 256, held as well as
            the host lets us.
        address_space_bytes: Virtual memory, at least 64 MiB; None for no limit, since some
            runtimes reserve far more than they use.

    Raises:
        ValueError: A value is no int, or out of bounds.
    """

    processes: int | None = None
    address_space_bytes: int | None = None

    def __post_init__(self) -> None:
        LocalLimits.__post_init__(self)
        if self.processes is not None:
            checks.number("processes", self.processes, 1)
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
class ProcessSettings(LocalSettings):
    """One declaration, complete.

    Attributes:
        limits: Limits of each process; the others are those of every local sandbox. A policy that
            is None claims nothing.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
    """

    limits: ProcessLimits = field(default_factory=ProcessLimits)

    def __post_init__(self) -> None:
        LocalSettings.__post_init__(self)
        checks.typed("limits", self.limits, (ProcessLimits,))

    def variables(self, work: str) -> dict[str, str]:
        """Return a program's whole environment.

        Args:
            work: Its work directory, which is its home and its place for temporary files too.
        """
        base = {"PATH": self.places(), "LANG": "C.UTF-8", "HOME": work, "TMPDIR": work}
        return base | self.inherited()
