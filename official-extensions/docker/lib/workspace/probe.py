"""Ask a new container of a workspace what holds inside, before any program runs in it."""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from ..plan.mounts import TMP
from ..plan.work import Bind
from ..run.program import Ending
from ..run.task import Surroundings, Task, TaskKind, TaskResult

_OUTPUT_BYTES = 64 * 1024
_CODE = """\
import json, os, stat
targets, tools = {targets!r}, {tools!r}
def seen(path):
    facts = os.stat(path)
    return [facts.st_dev, facts.st_ino, facts.st_mtime_ns, stat.S_IFMT(facts.st_mode)]
def refused(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return True
    return False
probe = {scratch!r} + "/probe"
os.close(os.open(probe, os.O_CREAT | os.O_WRONLY, 0o600))
print(json.dumps({{
    "seen": [seen(path) for path in targets],
    "read_only": [bool(os.statvfs(path).f_flag & os.ST_RDONLY) for path in targets],
    "writable": os.access(targets[0], os.R_OK | os.W_OK | os.X_OK),
    "tools": [path for path in tools if not (os.path.isfile(path) and os.access(path, os.X_OK))],
    "user": [os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *os.getgroups()],
    "interfaces": sorted(os.listdir("/sys/class/net")),
    "no_setuid": refused(os.chmod, probe, 0o4700),
    "no_setgid": refused(os.chmod, probe, 0o2700),
    "no_devices": refused(os.mknod, probe + "-node", stat.S_IFCHR | 0o600, os.makedev(1, 3))
        and refused(os.mknod, probe + "-node", stat.S_IFCHR | 0o600, 0),
}}))
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What tells a file or folder of the host from every other."""

    device: int
    inode: int
    changed_ns: int
    kind: int

    @classmethod
    def of(cls, path: str) -> Self:
        """Return it for *path*; OSError if there is none."""
        facts = Path(path).stat()
        return cls(facts.st_dev, facts.st_ino, facts.st_mtime_ns, stat.S_IFMT(facts.st_mode))

    def same(self, other: "Seen") -> bool:
        """Tell whether both are the same one.

        Where the daemon's machine is a virtual one the host's folders have other numbers in it, and
        the same times.
        """
        if self.kind != other.kind:
            return False
        numbers = (self.device, self.inode) == (other.device, other.inode)
        return numbers or self.changed_ns // 1000 == other.changed_ns // 1000


def probe_task(surroundings: Surroundings) -> Task:
    """Return the task that asks."""
    tools = [path for path in (surroundings.shell, surroundings.python) if path]
    return Task(
        kind=TaskKind.PYTHON,
        text=_CODE.format(targets=surroundings.mounts, tools=tools, scratch=TMP),
        output_bytes=_OUTPUT_BYTES,
        # An interpreter of the configuration is looked for by PID 1's own.
        surroundings=replace(surroundings, python="", variables=(), space_bytes=0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What must hold inside.

    Attributes:
        binds: what of the host is inside; *seen* tells each of them from others.
        uid: user of programs; gid: their group.
        network: whether there is a network.
        shell: path inside that is a program; python: likewise, or empty for none.
    """

    binds: tuple[Bind, ...]
    seen: tuple[Seen, ...]
    uid: int
    gid: int
    network: bool
    shell: str
    python: str = ""

    def broken(self, result: TaskResult) -> list[str]:
        """Return what does not hold, by name; an answer that makes no sense is none."""
        try:
            facts = _facts(result)
            return [name for name, holds in self._promises(facts) if not holds]
        except (KeyError, TypeError, ValueError):
            return ["an answer from inside"]

    def _promises(self, facts: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
        inside = [Seen(*item) for item in facts["seen"]]
        shown = [one.same(other) for one, other in zip(self.seen, inside, strict=True)]
        yield "the host's own work directory", shown[0]
        yield "the host's own allowed paths", all(shown)
        yield "a work directory that can be written", facts["writable"] is True
        yield (
            "allowed paths that are read-only",
            facts["read_only"] == [not bind.writable for bind in self.binds],
        )
        yield "the user", set(facts["user"][:2]) == {self.uid}
        yield "the group alone", set(facts["user"][2:]) == {self.gid}
        yield "a network" if self.network else "no network", self._network(facts["interfaces"])
        yield "no set-user-ID files", facts["no_setuid"] is facts["no_setgid"] is True
        yield "no devices", facts["no_devices"] is True
        missing = set(map(str, facts["tools"]))
        yield f"the configured shell {self.shell!r} in the image", self.shell not in missing
        if self.python:
            yield f"the configured python {self.python!r} in the image", self.python not in missing
        yield "a shell and an interpreter", missing <= {self.shell, self.python}

    def _network(self, interfaces: list[str]) -> bool:
        # What the kernel offers in every namespace (tunl0, sit0 ...) is down and has no address.
        others = [name for name in interfaces if name.startswith(("eth", "en"))]
        return bool(others) is self.network


def _facts(result: TaskResult) -> Mapping[str, Any]:
    ending: Ending = result.ending
    if result.lost or ending.reason or ending.signal or ending.exit_code:
        raise ValueError("the probe did not end well")
    facts = json.loads(result.stdout)
    if not isinstance(facts, dict):
        raise TypeError("facts")
    return facts


def seen_of(binds: tuple[Bind, ...]) -> tuple[Seen, ...]:
    """Return what tells each source from other files of the host; OSError if one is gone."""
    return tuple(Seen.of(os.fspath(bind.source)) for bind in binds)
