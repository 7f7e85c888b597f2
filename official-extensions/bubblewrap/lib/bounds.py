"""How much a program may use, by the strongest means of this host.

A control group counts processes and memory of a sandbox. Without one, ``RLIMIT_NPROC`` counts the
processes of a user *in the sandbox's own user namespace*, since Linux 5.14: just the program's; it
does not bind the host's root. Nothing else bounds memory as a whole.
"""

from __future__ import annotations

import enum
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from harnest.execution.local import LocalProgramError, ProgramBounds
from harnest.execution.local.bounds import Means, bounds_memory, means

from . import limits

if TYPE_CHECKING:
    from harnest.execution.local.cgroup import ControlGroup

__all__ = ["Bounds", "Counting", "counting"]

_COUNTS_BY_NAMESPACE: Final = (5, 14)
_RELEASE: Final = re.compile(r"(\d+)\.(\d+)", re.ASCII)


class Counting(enum.Enum):
    """What counts a sandbox's processes here."""

    GROUP = "a control group"
    NAMESPACE = "RLIMIT_NPROC, which counts those of the sandbox's user namespace"
    USER = "RLIMIT_NPROC, which counts all of this user's processes"
    NOTHING = "nothing, for the host's root"

    @property
    def exact(self) -> bool:
        """Whether it counts the sandbox's own processes and only those."""
        return self in {Counting.GROUP, Counting.NAMESPACE}


def counting() -> Counting:
    """Return what counts a sandbox's processes here."""
    found = means()
    if found is Means.USER:
        return Counting.NAMESPACE if _counts_by_namespace() else Counting.USER
    return Counting.GROUP if found is Means.GROUP else Counting.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The bounds of one sandbox.

    Attributes:
        processes: Most processes and threads of a program.
        memory: Whether its memory as a whole is bounded here.
        counting: What counts its processes.
    """

    processes: int
    memory: bool
    counting: Counting
    _local: ProgramBounds

    @classmethod
    def of(
        cls,
        *,
        memory_bytes: int | None,
        processes: int | None = None,
        must_bound_memory: bool = False,
    ) -> Self:
        """Return the bounds that hold best here.

        Args:
            memory_bytes: Most memory.
            processes: Most processes; None for the default, held as well as this host can.
            must_bound_memory: Whether to refuse where nothing holds a program to its memory.

        Raises:
            LocalProgramError: Something is asked for that nothing here holds.
        """
        if must_bound_memory and not bounds_memory():
            raise LocalProgramError(
                "The declaration bounds the memory, and this host lets Harnest make no control "
                "group that could hold a program to it; leave `memory_bytes` out.",
                phase="configuration",
            )
        how = counting()
        if processes is not None and not how.exact:
            raise LocalProgramError(
                "The declaration bounds the number of processes, and on this host there is "
                f"{how.value}; leave `processes` out, or let Harnest make control groups.",
                phase="configuration",
            )
        most = limits.PROCESSES if processes is None else processes
        # One more for bwrap itself, which is in the group as well.
        grouped = most + 1 if how is Counting.GROUP else None
        return cls(
            processes=most,
            memory=bounds_memory(),
            counting=how,
            _local=ProgramBounds(processes=grouped, memory_bytes=memory_bytes),
        )

    def group(self) -> ControlGroup | None:
        """Return a new group for one program, or None where there are none.

        Raises:
            LocalProgramError: It can't be made any more.
        """
        return self._local.group()

    def named(self) -> dict[str, int]:
        """Return the limits of each process that bound all, by their names in ``resource``."""
        if self.counting is Counting.NAMESPACE:
            # One more for process 1, which is of the same user.
            return {"RLIMIT_NPROC": self.processes + 1}
        return self._local.named()


def _counts_by_namespace() -> bool:
    match = _RELEASE.match(os.uname().release)
    return match is not None and (int(match[1]), int(match[2])) >= _COUNTS_BY_NAMESPACE
