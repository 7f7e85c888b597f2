"""Killing a program's processes from the host, for when the supervisor can't.

A program runs as the same user, so it can suspend or kill its supervisor. What is left of it is
then recognised by what it holds: the session or the output pipes, which nothing else has. Being at
work in its directory is no evidence by itself: the user's own shell may be there, and other calls
are. It counts for what began after the program and has lost whatever started it. So a program that
detaches, closes its output, leaves its directory and kills its supervisor may escape; nothing else
of the user's is touched.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from harnest.execution.local import limits
from harnest.execution.local.supervisor.family import facts_of, kill_all, processes, send

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Traces", "kill_family", "kill_strays"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What tells the processes of one execution from the user's others.

    Attributes:
        work: Its work directory.
        pipes: Its output pipes, as ``/proc`` shows them.
        since: When it began, in the clock ticks since the system's start that ``/proc`` counts in.
    """

    work: str
    pipes: frozenset[str]
    since: int

    @classmethod
    def of(cls, work: str, pipes: Iterable[int]) -> Self:
        """Return those of an execution that begins now, with these descriptors as its output."""
        names = frozenset(f"pipe:[{os.fstat(fd).st_ino}]" for fd in pipes)
        return cls(work=work, pipes=names, since=_ticks())

    def mark(self, process: Path, facts: list[bytes]) -> bool:
        """Return whether they tell that a process belongs to the execution.

        Args:
            process: Its folder of ``/proc``.
            facts: The fields of its ``stat`` there, from the state on.
        """
        links = frozenset(_links(process))
        if links & self.pipes:
            return True
        orphan = int(facts[19]) >= self.since and _is_reaper(int(facts[1]))
        return orphan and any(Path(target).is_relative_to(self.work) for target in links)


def kill_family(root: int) -> None:
    """Kill all processes below ``root``, and let it go on if it was suspended."""
    kill_all(root, time.monotonic() + limits.FORCE_SECONDS)
    send(root, signal.SIGCONT)


def kill_strays(traces: Traces, *, session: int) -> int:
    """Kill the processes of an execution whose supervisor is gone; return how many.

    Args:
        traces: What they hold.
        session: Process that the program was started as, its session's leader; 0 if unknown.
    """
    killed = 0
    limit = time.monotonic() + limits.FORCE_SECONDS
    while time.monotonic() < limit:
        found = [pid for pid in _others() if _is_stray(pid, traces, session)]
        for pid in found:
            send(pid, signal.SIGKILL)
        if not found:
            break
        killed += len(found)
    return killed


def _others() -> Iterator[int]:
    """Yield the ids of the user's other processes."""
    for pid in processes():
        with contextlib.suppress(OSError):
            if pid != os.getpid() and Path(f"/proc/{pid}").stat().st_uid == os.getuid():
                yield pid


def _is_stray(pid: int, traces: Traces, session: int) -> bool:
    fields = facts_of(pid)
    if not fields:
        return False
    return (session > 0 and int(fields[3]) == session) or traces.mark(Path(f"/proc/{pid}"), fields)


def _ticks() -> int:
    """Return the time as ``/proc`` tells when processes began; 0 where nothing tells it."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def _is_reaper(pid: int) -> bool:
    """Return whether a process is one of the system's that adopt orphans, and none of ours."""
    if pid == os.getpid():  # in a container of its own, where it starts processes as well
        return False
    try:
        return pid == 1 or Path(f"/proc/{pid}/comm").read_bytes().strip() == b"systemd"
    except OSError:
        return False


def _links(process: Path) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for path in (process / "cwd", *(process / "fd").iterdir()):
            with contextlib.suppress(OSError):
                yield os.readlink(path)  # noqa: PTH115 - the text is compared, not followed
