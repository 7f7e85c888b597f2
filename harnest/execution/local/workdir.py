"""Work directories: made for one owner, removed whatever a program did to them, found again.

The name says who made it - process id and start time, so a reused id is told apart - which lets
whoever prunes remove what a killed host left behind and never what a living one uses.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harnest.execution.local.removal import remove

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WORKSPACE_PREFIX", "Leftover", "exists", "kept", "leftovers", "make", "remove"]

WORKSPACE_PREFIX = "harnest-workspace"
"""Begin of the names of the work directories of workspaces, whichever their tier."""

_OWNER = re.compile(r"-(?P<pid>[0-9]{1,10})-(?P<start>[0-9]{1,20})-[^/]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A work directory of some process of this user.

    Attributes:
        path: Where it is.
        pid: Process that made it.
        alive: Whether that process still runs.
        age_seconds: Seconds since it was made.
    """

    path: Path
    pid: int
    alive: bool
    age_seconds: float


def make(prefix: str) -> Path:
    """Make a new empty directory with mode 0700 in the place for temporary files.

    Args:
        prefix: Begin of its name, such as ``harnest-process``.

    Raises:
        OSError: The place for temporary files can't be written to.
    """
    pid = os.getpid()
    return Path(tempfile.mkdtemp(prefix=f"{prefix}-{pid}-{_start_of(pid)}-")).resolve()


def kept(path: Path, made: os.stat_result) -> bool:
    """Return whether a directory is still there, and let it be entered if a program closed it.

    Args:
        path: Where it was made; a program may have put another one, or a link, in its place.
        made: What ``lstat`` told of it then.
    """
    try:
        facts = path.lstat()
        if not stat.S_ISDIR(facts.st_mode) or not os.path.samestat(facts, made):
            return False
        if facts.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            path.chmod(stat.S_IRWXU)
    except OSError:
        return False
    return True


def leftovers(prefix: str) -> Iterator[Leftover]:
    """Yield every work directory of this user in the place for temporary files.

    Root's own may belong to another user by now, whom its programs run as.

    Args:
        prefix: As :func:`make` got it.
    """
    for entry in sorted(Path(tempfile.gettempdir()).glob(f"{prefix}-*")):
        match = _OWNER.fullmatch(entry.name.removeprefix(prefix))
        with contextlib.suppress(OSError):
            facts = entry.lstat()
            own = os.getuid() in {0, facts.st_uid}
            if match and stat.S_ISDIR(facts.st_mode) and own:
                pid = int(match["pid"])
                yield Leftover(
                    path=entry,
                    pid=pid,
                    alive=exists(pid) and _start_of(pid) == int(match["start"]),
                    age_seconds=max(0.0, time.time() - facts.st_mtime),
                )


def _start_of(pid: int) -> int:
    """Return a process's start time in clock ticks since boot, 0 where that is not told."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except OSError:
        return 0


def exists(pid: int) -> bool:
    """Return whether there is a process of that id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
