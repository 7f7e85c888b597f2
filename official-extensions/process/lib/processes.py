"""How many processes a program may have, by the strongest means that this host offers.

A control group counts the program's own. Without one there is ``RLIMIT_NPROC``, which counts all of
the user's and does not bind root.
"""

from __future__ import annotations

import enum
import functools
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import cgroup, limits
from .errors import ProcessSandboxError
from .supervisor.family import facts_of, processes

__all__ = ["Means", "ProcessBound", "means"]


class Means(enum.Enum):
    """What bounds the number of a program's processes here."""

    GROUP = "a control group"
    USER = "the limit of the user's processes"
    NOTHING = "nothing"


@functools.cache
def _parent_group() -> Path | None:
    return cgroup.base()


def means() -> Means:
    """Return what this host offers; tried once."""
    if _parent_group() is not None:
        return Means.GROUP
    return Means.USER if os.geteuid() else Means.NOTHING


@dataclass(slots=True, kw_only=True)
class ProcessBound:
    """The bound of one declaration.

    Args:
        wanted: Most processes; None for the default, applied as well as this host can.

    Raises:
        ProcessSandboxError: A bound is asked for that only a control group could hold.
    """

    wanted: int | None
    _counted: tuple[float, int] = (0.0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.wanted is not None and means() is not Means.GROUP:
            raise ProcessSandboxError(
                "The declaration bounds the number of processes, and this host lets Harnest make "
                "no control group that could hold a program to it; leave `processes` out.",
                phase="configuration",
            )

    def group(self) -> cgroup.ControlGroup | None:
        """Return a new group for one execution, or None where there are none.

        Raises:
            OSError: It can't be made any more.
        """
        parent = _parent_group()
        return None if parent is None else cgroup.ControlGroup(parent, self._most())

    def named(self) -> dict[str, int]:
        """Return the limit to set where there is no group."""
        if means() is not Means.USER:
            return {}
        return {"RLIMIT_NPROC": self._users() + self._most()}

    def _most(self) -> int:
        return limits.PROCESSES if self.wanted is None else self.wanted

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
