"""Start one program, wait for its end or for a reason to end it, and report.

Input on descriptor 0: the payload, then nothing; a byte or the end of it means "stop". Output on
the report's descriptor: ``started PID``, then ``ended HOW STATUS CPU_MS KILLED LEFT``; or
``refused WHY``.
"""

from __future__ import annotations

import gc
import os
import select
import time

from . import system
from .family import Family
from .program import become

TYPE_CHECKING = False  # the package `typing` costs more than a short program
if TYPE_CHECKING:
    from typing import Any

_WATCH_MS = 250  # longest wait where the system tells of a process's end
_POLL_MS = 5  # longest wait where it does not


def supervise(settings: dict[str, Any]) -> None:
    """Run one program; never returns.

    Args:
        settings: ``argv``, ``code`` (None to run ``argv``), ``deadline`` (on ``time.monotonic()``,
            or None), ``descriptors`` (those that are the program's), ``environment``,
            ``isolate_network``, ``limits``, ``report`` (a descriptor), ``stdin`` (likewise, or
            None) and ``work`` (a path).
    """
    report, host = settings["report"], os.getppid()
    refusal = _prepare(isolate_network=settings["isolate_network"])
    if refusal:
        os.write(report, f"refused {refusal}\n".encode())
        os._exit(0)
    handlers = system.ignore_signals()
    memory = system.shared_byte() if _watches_memory(settings) else None
    gc.freeze()  # what is here is no garbage: the program's collections needn't look at it
    me, child = os.getpid(), os.fork()
    if child == 0:
        become(settings, me, handlers, memory)
    os.write(report, f"started {child}\n".encode())
    system.use_null_for(1, 2, *settings["descriptors"])
    family = Family(child)
    ending = _watch(family, host, settings["deadline"])
    killed, left = family.end()
    if memory is not None and memory[0]:
        os.write(report, b"memory\n")
    status = -1 if family.status is None else family.status
    line = f"ended {ending} {status} {family.cpu_ms} {killed} {left}\n"
    os.write(report, line.encode())
    os._exit(0)


def _watches_memory(settings: dict[str, Any]) -> bool:
    """Whether there is a bound on addresses, and the program is Python that we run ourselves."""
    bounded = any(number == system.ADDRESS_SPACE for number, _, _ in settings["limits"])
    return bounded and settings["code"] is not None


def _prepare(*, isolate_network: bool) -> str:
    """Set up this process; return why that can't be done, or an empty text."""
    if isolate_network:
        try:
            system.leave_network()
        except OSError as error:
            return f"network {error.errno or 0}"
    if system.LINUX and not system.prctl(system.CHILD_SUBREAPER, 1):
        return "subreaper 0"
    # Without new privileges there is no descendant that this process may not kill.
    system.prctl(system.NO_NEW_PRIVS, 1)
    # The program is the same user: it must not open this process's descriptors and forge its end.
    system.prctl(system.DUMPABLE, 0)
    return ""


def _watch(family: Family, host: int, deadline: float | None) -> str:
    """Wait; return what came first: ``exit``, ``stop``, ``host`` (it is gone) or ``deadline``."""
    poller = select.poll()
    # Process 1 of a namespace has no parent in it: it ends with the launcher that is outside.
    watched = [pid for pid in (family.program, host) if pid]
    handles = _handles(watched)
    told = len(handles) == len(watched)
    for handle in (0, *handles):
        poller.register(handle, select.POLLIN)
    while True:
        ready = {handle for handle, _ in poller.poll(_pause(deadline, told=told))}
        if family.program_ended():
            return "exit"
        if os.getppid() != host:
            return "host"
        if 0 in ready:
            return "stop"
        if deadline is not None and time.monotonic() >= deadline:
            return "deadline"


def _handles(pids: list[int]) -> list[int]:
    """Return descriptors that become readable when a process ends; fewer on older systems."""
    handles = []
    for pid in pids:
        try:
            handles.append(os.pidfd_open(pid))
        except (AttributeError, OSError):
            continue
    return handles


def _pause(deadline: float | None, *, told: bool) -> int:
    longest = _WATCH_MS if told else _POLL_MS
    if deadline is None:
        return longest
    return max(0, min(longest, int((deadline - time.monotonic()) * 1000) + 1))
