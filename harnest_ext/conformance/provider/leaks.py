"""What is left of calls that are over: nothing."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.conformance.checks import Group, refuse

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("leaks")

CALLS = 10
_PROC = Path("/proc")


def _descriptors() -> int:
    folder = _PROC / "self" / "fd"
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _children() -> set[int]:
    """Return the ids of this process's living children; empty without ``/proc``."""
    found = set()
    for folder in _PROC.iterdir() if (_PROC / "self" / "stat").exists() else ():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.add(int(folder.name))
    return found


def _exercise(bench: Bench) -> None:
    for number in range(CALLS):
        bench.run("print(1)" if number % 2 else "raise SystemExit(3)")
    gc.collect()


@GROUP.check("descriptors")
def descriptors(bench: Bench) -> None:
    """Calls leave no open descriptor."""
    _exercise(bench)
    before = _descriptors()
    _exercise(bench)
    more = _descriptors() - before
    refuse(f"{CALLS} calls left {more} descriptors", if_true=more >= CALLS // 2)


@GROUP.check("threads")
def threads(bench: Bench) -> None:
    """Calls leave no thread."""
    _exercise(bench)
    before = threading.active_count()
    _exercise(bench)
    more = threading.active_count() - before
    refuse(f"{CALLS} calls left {more} threads", if_true=more >= CALLS // 2)


@GROUP.check("children")
def children(bench: Bench) -> None:
    """Calls leave no child process, zombies included."""
    _exercise(bench)
    before = _children()
    _exercise(bench)
    more = len(_children() - before)
    refuse(f"{CALLS} calls left {more} child processes", if_true=more >= CALLS // 2)
