"""Say which process owns a resource, and whether that process still lives.

A process is named by machine, boot, process namespace, number and start time, so that neither a reused
number nor another machine on the same daemon is mistaken for it.
"""

import os
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Self

_PARTS = 5


class Verdict(Enum):
    """What is known about an owner."""

    ALIVE = "alive"
    GONE = "gone"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One process on one machine since one boot."""

    machine: str
    boot: str
    namespace: str
    pid: int
    started: int

    @classmethod
    def here(cls) -> Self:
        """Return this process."""
        machine, boot, namespace = _place()
        pid = os.getpid()
        return cls(machine=machine, boot=boot, namespace=namespace, pid=pid, started=_started(pid))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the owner that :attr:`text` names; anything else is a ValueError."""
        parts = text.split(".")
        if len(parts) != _PARTS:
            raise ValueError("no owner")
        machine, boot, namespace, pid, started = parts
        return cls(
            machine=machine, boot=boot, namespace=namespace, pid=int(pid), started=int(started)
        )

    @property
    def text(self) -> str:
        """The owner as a label."""
        return f"{self.machine}.{self.boot}.{self.namespace}.{self.pid}.{self.started}"

    def verdict(self) -> Verdict:
        """Return whether the owner lives, is gone, or cannot be seen from here."""
        if (self.machine, self.boot, self.namespace) != _place():
            return Verdict.ELSEWHERE
        return Verdict.ALIVE if _started(self.pid) == self.started else Verdict.GONE


@cache
def _place() -> tuple[str, str, str]:
    machine = _read("/etc/machine-id") or f"node-{os.uname().nodename}".replace(".", "-")
    boot = _read("/proc/sys/kernel/random/boot_id").replace("-", "")
    try:
        namespace = str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        namespace = "0"
    return machine, boot or "0", namespace


def _started(pid: int) -> int:
    """Return the start time of *pid* in clock ticks since boot, -1 if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return -1
    return int(stat.rpartition(")")[2].split()[19])


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""
