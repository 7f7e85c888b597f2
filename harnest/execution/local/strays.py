"""Killing a program's processes from the host, for when the supervisor can't.

A program runs as the same user, so it can suspend or kill its supervisor. What is left of it is
then recognised by what it holds: the session, the work directory or the output pipes. Nothing
else of the user's is touched.
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
    """What only the processes of one execution hold.

    Attributes:
        work: Its work directory.
        pipes: Its output pipes, as ``/proc`` shows them.
    """

    work: str
    pipes: frozenset[str]

    @classmethod
    def of(cls, work: str, pipes: Iterable[int]) -> Self:
        """Return the traces of an execution with these descriptors as its output."""
        return cls(work=work, pipes=frozenset(f"pipe:[{os.fstat(fd).st_ino}]" for fd in pipes))

    def mark(self, process: Path) -> bool:
        """Return whether a process (a folder of ``/proc``) holds one of them."""
        return any(
            target in self.pipes or Path(target).is_relative_to(self.work)
            for target in _links(process)
        )


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
    return (session > 0 and int(fields[3]) == session) or traces.mark(Path(f"/proc/{pid}"))


def _links(process: Path) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for path in (process / "cwd", *(process / "fd").iterdir()):
            with contextlib.suppress(OSError):
                yield os.readlink(path)  # noqa: PTH115 - the text is compared, not followed
