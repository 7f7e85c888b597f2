"""The compute, memory, processes and scratch space that one execution may use."""

from __future__ import annotations

import math
from dataclasses import dataclass

from harnest.sandbox import limits
from harnest.sandbox.checks import positive_int

__all__ = ["SandboxBudget"]


@dataclass(frozen=True, slots=True)
class SandboxBudget:
    """Finite limits of one execution.

    Args:
        cpu: CPUs, a finite number of at least 0.01.
        memory_bytes: Bytes of memory, at least 6 MiB.
        pids: Processes and threads, at least 1.
        scratch_bytes: Bytes of writable scratch space, at least 1.

    Raises:
        ValueError: A limit is no number of its kind, or too small.
    """

    cpu: float = 1.0
    memory_bytes: int = 512 * limits.MIB
    pids: int = 64
    scratch_bytes: int = 64 * limits.MIB

    def __post_init__(self) -> None:
        object.__setattr__(self, "cpu", _cpu(self.cpu))
        positive_int("memory_bytes", self.memory_bytes, minimum=limits.BUDGET_MEMORY_MINIMUM)
        positive_int("pids", self.pids)
        positive_int("scratch_bytes", self.scratch_bytes)


def _cpu(value: object) -> float:
    if not isinstance(value, bool) and isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number) and number >= limits.BUDGET_CPU_MINIMUM:
            return number
    raise ValueError(f"cpu must be a finite number of at least {limits.BUDGET_CPU_MINIMUM}")
