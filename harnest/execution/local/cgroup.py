"""A control group for one execution: it bounds what is in it and names every process of it.

Made below the group that this process itself runs in, so that whatever bounds this one bounds the
program too. That needs the right to make one there: as root with cgroup v1, or where a v2 group was
prepared with the controllers on. With v1 each controller has a tree of its own, so one group is a
folder in each of them. Where none can be made there are other means; see :mod:`.bounds`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from harnest.execution.local import limits
from harnest.execution.local.supervisor.family import send

__all__ = ["ControlGroup", "Parents", "leftovers", "parents"]

_PREFIX: Final = "harnest-process"
_NAME: Final = re.compile(_PREFIX + r"-(?P<pid>[0-9]{1,10})-[0-9a-f]+")
_ROOT: Final = Path("/sys/fs/cgroup")
_PROBE_BYTES: Final = 1 << 30
"""Memory of a group that is made only to see whether one can be, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parents:
    """The groups below which a group can be made, each None where it can't.

    Attributes:
        pids: Where the number of processes can be bounded.
        memory: Where memory can be bounded; the same folder with cgroup v2.
    """

    pids: Path | None
    memory: Path | None


class ControlGroup:
    """One group, made empty.

    Args:
        where: Where it can be made; :func:`parents` finds out.
        processes: Most processes and threads in it at a time; None for any number.
        memory_bytes: Most bytes of memory, swap included; None for no bound.

    Raises:
        OSError: It can't be made so.
    """

    def __init__(
        self, where: Parents, *, processes: int | None = None, memory_bytes: int | None = None
    ) -> None:
        name = f"{_PREFIX}-{os.getpid()}-{secrets.token_hex(6)}"
        self._pids = self._memory = None
        self._folders: list[Path] = []
        self._refused = self._oom_kills = 0
        try:
            if processes is not None:
                self._pids = self._made(where.pids, name)
                # One more for the supervisor, which is in it as well.
                (self._pids / "pids.max").write_text(str(processes + 1))
            if memory_bytes is not None:
                self._memory = self._made(where.memory, name)
                _bound_memory(self._memory, memory_bytes)
        except OSError:
            self.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def adopt(self, pid: int) -> None:
        """Move a process into it; what that starts from now on is in it as well.

        Raises:
            OSError: The kernel refuses.
        """
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def refused(self) -> int:
        """Return how often a process or thread was refused because of the bound."""
        if self._pids is not None:
            self._refused = max(self._refused, _count(self._pids / "pids.events", "max"))
        return self._refused

    def oom_kills(self) -> int:
        """Return how many of its processes the kernel killed because its memory was used up."""
        if self._memory is not None:
            second = self._memory / "memory.events"
            first = self._memory / "memory.oom_control"
            found = _count(second if second.exists() else first, "oom_kill")
            self._oom_kills = max(self._oom_kills, found)
        return self._oom_kills

    def kill(self) -> bool:
        """Kill everything in it and remove it, in a bounded time; return whether it is gone."""
        self.refused()  # what was counted goes with the folders: kept for whoever asks later
        self.oom_kills()
        limit = time.monotonic() + limits.FORCE_SECONDS
        while left := [folder for folder in self._folders if not _removed(folder)]:
            if time.monotonic() > limit:
                return False
            for pid in {pid for folder in left for pid in _members(folder)}:
                send(pid, signal.SIGKILL)
            time.sleep(0.0005)
        return True

    def _made(self, parent: Path | None, name: str) -> Path:
        if parent is None:
            raise FileNotFoundError("no control group can be made")
        folder = parent / name
        if folder not in self._folders:
            folder.mkdir()
            self._folders.append(folder)
        return folder


def parents() -> Parents:
    """Return where groups can be made here; tried by making one for each bound."""
    return Parents(
        pids=next(filter(_bounds_processes, _own_groups("pids")), None),
        memory=next(filter(_bounds_memory, _own_groups("memory")), None),
    )


def leftovers(where: Parents) -> list[tuple[Path, int]]:
    """Return the groups made here, by any process, each with the id of the one that made it."""
    folders = {parent for parent in (where.pids, where.memory) if parent is not None}
    found = [path for parent in sorted(folders) for path in sorted(parent.glob(f"{_PREFIX}-*"))]
    matches = ((path, _NAME.fullmatch(path.name)) for path in found)
    return [(path, int(match["pid"])) for path, match in matches if match]


def _bounds_processes(parent: Path) -> bool:
    with contextlib.suppress(OSError), ControlGroup(Parents(pids=parent, memory=None), processes=1):
        return True
    return False


def _bounds_memory(parent: Path) -> bool:
    where = Parents(pids=None, memory=parent)
    with contextlib.suppress(OSError), ControlGroup(where, memory_bytes=_PROBE_BYTES):
        return True
    return False


def _bound_memory(folder: Path, size: int) -> None:
    second = folder / "memory.max"
    if second.exists():
        second.write_text(str(size))
        swap, rest = folder / "memory.swap.max", 0
    else:
        (folder / "memory.limit_in_bytes").write_text(str(size))
        # What v1 bounds is memory and swap together.
        swap, rest = folder / "memory.memsw.limit_in_bytes", size
    if swap.exists():  # it is not where the kernel counts no swap
        swap.write_text(str(rest))


def _count(path: Path, wanted: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            name, _, count = line.partition(" ")
            if name == wanted:
                return int(count)
    return 0


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:  # something is in it
        return False
    return True


def _members(folder: Path) -> list[int]:
    try:
        found = [int(line) for line in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []
    # 0 stands for a process of another namespace; as an argument of kill it means "my group".
    return [pid for pid in found if pid > 0]


def _own_groups(controller: str) -> list[Path]:
    """Return the folders of this process's own group that may have a controller."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        rows = [line.split(":", 2) for line in lines]
        first = [
            _ROOT / controller / path.lstrip("/")
            for _, names, path in rows
            if controller in names.split(",")
        ]
        second = [_ROOT / path.lstrip("/") for _, names, path in rows if not names]
        return [path for path in (*first, *second) if (path / "cgroup.procs").exists()]
    return []
