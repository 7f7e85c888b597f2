"""A control group for one execution: it bounds its processes and names every one of them.

Made below the group that Harnest itself runs in, so that whatever bounds Harnest bounds the program
too. That needs the right to make one there: as root with cgroup v1, or where a v2 group was
prepared with the pids controller on. Elsewhere there is none; see :mod:`.processes`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import time
from pathlib import Path
from typing import Self

from . import limits
from .supervisor.family import send

__all__ = ["ControlGroup", "base", "leftovers"]

_PREFIX = "harnest-process"
_NAME = re.compile(_PREFIX + r"-(?P<pid>[0-9]{1,10})-[0-9a-f]+")


class ControlGroup:
    """One group, made empty.

    Args:
        parent: Group below which it is made; :func:`base` finds it.
        processes: Most processes and threads in it at a time.

    Raises:
        OSError: It can't be made.
    """

    def __init__(self, parent: Path, processes: int) -> None:
        self._path = parent / f"{_PREFIX}-{os.getpid()}-{secrets.token_hex(6)}"
        self._path.mkdir()
        try:
            # One more for the supervisor, which is in it as well.
            (self._path / "pids.max").write_text(str(processes + 1))
        except OSError:
            self._path.rmdir()
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
        (self._path / "cgroup.procs").write_text(str(pid))

    def refused(self) -> int:
        """Return how often a process or thread was refused because of the bound."""
        with contextlib.suppress(OSError, ValueError):
            for line in (self._path / "pids.events").read_text().splitlines():
                name, _, count = line.partition(" ")
                if name == "max":
                    return int(count)
        return 0

    def kill(self) -> bool:
        """Kill everything in it and remove it, in a bounded time; return whether it is gone."""
        limit = time.monotonic() + limits.FORCE_SECONDS
        while not self._removed():
            if time.monotonic() > limit:
                return False
            for pid in self._members():
                send(pid, signal.SIGKILL)
            time.sleep(0.0005)
        return True

    def _removed(self) -> bool:
        try:
            self._path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:  # something is in it
            return False
        return True

    def _members(self) -> list[int]:
        try:
            found = [int(line) for line in (self._path / "cgroup.procs").read_text().split()]
        except OSError:
            return []
        # 0 stands for a process of another namespace; as an argument of kill it means "my group".
        return [pid for pid in found if pid > 0]


def base() -> Path | None:
    """Return the group below which groups with a bound on processes can be made, or None."""
    for parent in _own_groups():
        try:
            with ControlGroup(parent, limits.PROCESSES):
                return parent
        except OSError:
            continue
    return None


def leftovers() -> list[tuple[Path, int]]:
    """Return the groups made here, by any Harnest, each with the id of the process that made it."""
    parent = base()
    found = [] if parent is None else sorted(parent.glob(f"{_PREFIX}-*"))
    matches = ((path, _NAME.fullmatch(path.name)) for path in found)
    return [(path, int(match["pid"])) for path, match in matches if match]


def _own_groups() -> list[Path]:
    """Return the folders of Harnest's own group that may have the pids controller."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        rows = [line.split(":", 2) for line in lines]
        root = Path("/sys/fs/cgroup")
        first = [root / "pids" / path.lstrip("/") for _, name, path in rows if name == "pids"]
        second = [root / path.lstrip("/") for _, name, path in rows if not name]
        return [path for path in (*first, *second) if (path / "cgroup.procs").exists()]
    return []
