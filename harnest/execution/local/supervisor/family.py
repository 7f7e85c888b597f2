"""All processes that came of one, found by their parents, stopped, killed and reaped."""

from __future__ import annotations

import os
import time

from .system import LINUX, read, signals

_KILL_SECONDS = 2.0  # longest that ending a program's processes may take
_STOP_ROUNDS = 50  # most scans that only stop processes; a fork bomb is still after a few


class Family:
    """The program and its descendants, seen from the supervisor that is their reaper.

    Args:
        program: The program's process.

    Attributes:
        program: As above.
        status: Its wait status; None until it was reaped.
        cpu_ms: CPU milliseconds of it and of the children it waited for.
    """

    def __init__(self, program: int) -> None:
        self.program = program
        self.status: int | None = None
        self.cpu_ms = 0

    def program_ended(self) -> bool:
        """Reap orphans that have ended; return whether the program has, which keeps its number.

        Unreaped ones would count against the bound on processes.
        """
        if not hasattr(os, "waitid"):  # macOS, before Python 3.13
            self.reap()
            return self.status is not None
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid == self.program:
                return ended is not None
            os.waitpid(ended.si_pid, 0)

    def reap(self) -> bool:
        """Reap every child that has ended; return whether there are others."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.program:
                self.status = status
                self.cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)

    def end(self) -> tuple[int, int]:
        """Kill all of it; return how many were killed and how many could not be."""
        killed: set[int] = set()
        limit = time.monotonic() + _KILL_SECONDS
        if not LINUX:  # nothing tells who descends from whom: the group is what can be ended
            _send_group(self.program, signals.SIGKILL)
        while self.reap():
            found = kill_all(os.getpid(), limit)
            killed |= found
            if time.monotonic() > limit:
                return len(killed), len(found)
            time.sleep(0.0005)
        return len(killed), 0


def kill_all(root: int, limit: float) -> set[int]:
    """Kill all descendants of a process that exist; return their ids.

    Whole groups go first: the kernel kills a group in one step that no fork can slip through,
    while a bomb that is killed one by one grows faster than it is found. What makes a group for
    each of its processes is stopped until nothing new appears, and then killed.

    Args:
        root: The process.
        limit: When to give up stopping them first, on ``time.monotonic()``.
    """
    found = descendants(root)
    for group in set(found.values()) - {os.getpgrp()}:
        _send_group(group, signals.SIGKILL)
    stopped: set[int] = set()
    for _ in range(_STOP_ROUNDS):
        rest = descendants(root)
        if set(rest) <= stopped or time.monotonic() > limit:
            break
        for pid in set(rest) - stopped:
            send(pid, signals.SIGSTOP)
        stopped |= set(rest)
    for pid in rest:
        send(pid, signals.SIGKILL)
    return set(found) | stopped


def descendants(root: int) -> dict[int, int]:
    """Return all living processes below one, each with its group; empty without ``/proc``."""
    groups: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for pid in processes():
        fields = facts_of(pid)
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
            groups[pid] = int(fields[2])
    found: dict[int, int] = {}
    front = [root]
    while front:
        below = [pid for pid in children.get(front.pop(), ()) if pid not in found]
        found.update((pid, groups[pid]) for pid in below)
        front.extend(below)
    return found


def processes() -> list[int]:
    """Return the ids of all processes; empty without ``/proc``."""
    if not LINUX:
        return []
    with os.scandir("/proc") as entries:
        return [int(entry.name) for entry in entries if entry.name.isdigit()]


def facts_of(pid: int) -> list[bytes]:
    """Return the fields of ``/proc/PID/stat`` from the state on; empty if only a zombie is left."""
    try:
        fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return []
    return [] if not fields or fields[0] in (b"Z", b"X") else fields


def send(pid: int, number: int) -> None:
    """Send a signal; a process that is gone meanwhile, or another user's, is no error."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _send_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return
