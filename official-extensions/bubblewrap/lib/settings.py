"""What a bubblewrap sandbox is declared with, checked before anything is started."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from harnest.execution.local.provider import checks
from harnest.execution.local.provider.confined import ConfinedSettings
from harnest.execution.local.provider.settings import LocalLimits, LocalScope

from . import limits

__all__ = ["PREFIX", "BubblewrapLimits", "BubblewrapScope", "BubblewrapSettings"]

PREFIX: Final = "harnest-bubblewrap"
"""Begin of the names of this extension's work directories."""

BubblewrapScope = LocalScope


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblewrapLimits(LocalLimits):
    """What a program is held to.

    Attributes:
        cpu_seconds: CPU time of each process, at least 1; beyond it the process gets SIGXCPU.
        file_bytes: Size of a file that is written, at least 1; beyond it writing fails.
        open_files: Open descriptors of each process, at least 16.
        memory_bytes: Memory of all its processes with ``/tmp`` and ``/dev/shm``, at least 16 MiB,
            held by a control group; refused when the sandbox is built where none can be made. None
            for 512 MiB where one can, and no bound elsewhere.
        processes: Its processes and threads, at least 1; refused when the sandbox is built where
            nothing counts just them. None for 256, held as well as the host lets us.
        tmp_bytes: Size of ``/tmp``, which is memory, 64 KiB to 64 GiB.

    Raises:
        ValueError: A value is no int, or out of bounds.
    """

    memory_bytes: int | None = None
    processes: int | None = None
    tmp_bytes: int = limits.TMP_BYTES

    def __post_init__(self) -> None:
        LocalLimits.__post_init__(self)
        if self.memory_bytes is not None:
            checks.number("memory_bytes", self.memory_bytes, limits.MEMORY_BYTES_MINIMUM)
        if self.processes is not None:
            checks.number("processes", self.processes, 1)
        checks.number(
            "tmp_bytes", self.tmp_bytes, limits.TMP_BYTES_MINIMUM, limits.TMP_BYTES_MAXIMUM
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblewrapSettings(ConfinedSettings):
    """One declaration, complete.

    Attributes:
        limits: What a program is held to. The others are those of every sandbox that confines.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
    """

    limits: BubblewrapLimits = field(default_factory=BubblewrapLimits)

    def __post_init__(self) -> None:
        ConfinedSettings.__post_init__(self)
        checks.typed("limits", self.limits, (BubblewrapLimits,))
