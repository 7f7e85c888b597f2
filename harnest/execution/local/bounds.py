"""How many processes and how much memory a program may have, by the strongest means of this host.

A control group counts the program's own. Without one there is, for processes, ``RLIMIT_NPROC``,
which counts all of the user's and does not bind root; for memory there is ``RLIMIT_AS``, which is
asked for by name, since it counts addresses and not memory.
"""

from __future__ import annotations

import enum
import functools
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from harnest.execution.local import cgroup, limits
from harnest.execution.local.errors import LocalProgramError
from harnest.execution.local.supervisor.family import facts_of, processes
from harnest.execution.local.supervisor.system import LINUX

__all__ = ["Means", "ProgramBounds", "bounds_memory", "means", "parents"]


class Means(enum.Enum):
    """What bounds the number of a program's processes here."""

    GROUP = "a control group"
    USER = "the limit of the user's processes"
    NOTHING = "nothing"


@functools.cache
def parents() -> cgroup.Parents:
    """Return where this host lets us make control groups; tried once."""
    return cgroup.parents()


def means() -> Means:
    """Return what bounds the number of processes here."""
    if parents().pids is not None:
        return Means.GROUP
    # Elsewhere nobody tells how many the user has already: a limit might refuse the first.
    return Means.USER if os.geteuid() and LINUX else Means.NOTHING


def bounds_memory() -> bool:
    """Return whether a control group can bound memory here."""
    return parents().memory is not None


@dataclass(slots=True, kw_only=True)
class ProgramBounds:
    """The bounds of one declaration.

    Attributes:
        processes: Most processes; None for the default, applied as well as this host can.
        memory_bytes: Most memory, applied where a control group can; None for no bound.

    Raises:
        LocalProgramError: A number of processes is asked for that only a control group could hold.
    """

    processes: int | None = None
    memory_bytes: int | None = None
    _counted: tuple[float, int] = (0.0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.processes is not None and means() is not Means.GROUP:
            raise LocalProgramError(
                "The declaration bounds the number of processes, and this host lets Harnest make "
                "no control group that could hold a program to it; leave `processes` out.",
                phase="configuration",
            )

    def group(self) -> cgroup.ControlGroup | None:
        """Return a new group for one execution, or None where there are none.

        Raises:
            LocalProgramError: It can't be made any more.
        """
        where = parents()
        memory = None if where.memory is None else self.memory_bytes
        count = None if where.pids is None else self._most()
        if memory is None and count is None:
            return None
        try:
            return cgroup.ControlGroup(where, processes=count, memory_bytes=memory)
        except OSError as error:
            raise LocalProgramError(
                f"No control group can be made any more ({type(error).__name__}).", phase="start"
            ) from None

    def named(self) -> dict[str, int]:
        """Return the limit to set where there is no group, by its name in ``resource``."""
        if means() is not Means.USER:
            return {}
        return {"RLIMIT_NPROC": self._users() + self._most()}

    def _most(self) -> int:
        return limits.PROCESSES if self.processes is None else self.processes

    def _users(self) -> int:
        """Return how many processes and threads the user has, counted a moment ago."""
        with self._lock:
            at, count = self._counted
            if not count or time.monotonic() > at + limits.COUNT_SECONDS:
                count = sum(_threads_of_own(pid) for pid in processes())
                self._counted = (time.monotonic(), count)
            return count


def _threads_of_own(pid: int) -> int:
    try:
        if Path(f"/proc/{pid}").stat().st_uid != os.getuid():
            return 0
    except OSError:
        return 0
    fields = facts_of(pid)
    return int(fields[17]) if fields else 1
