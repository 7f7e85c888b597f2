"""Whether a sandbox is one, on this host and now: tried from inside, not assumed."""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from harnest.execution.local import (
    ConfinedRun,
    LaunchError,
    ProgramBounds,
    Refusal,
    listener,
    report_of,
)
from harnest.execution.local.limits import PROBE_CONNECT_SECONDS
from harnest.execution.local.probing import DISTRUST

from . import limits
from .allowed import HOME
from .arguments import GROUP_ID, USER_ID

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .confinement import Confinement

__all__ = ["probe"]

_NAMESPACES: Final = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
_WRITABLE: Final = frozenset({HOME, "/dev/pts", "/dev/shm", "/tmp"})  # noqa: S108 - the sandbox's own
_DEVICES: Final = frozenset(
    f"/dev/{name}" for name in ("console", "full", "null", "random", "tty", "urandom", "zero")
)
_ALLOW_NAMESPACES: Final = (
    "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1 and "
    "user.max_user_namespaces above 0; on Ubuntu an AppArmor profile for bwrap; in a container one "
    "that lets it mount /proc), or use the docker extension."
)

# Runs inside, on Python 3.8 or newer. What it tries to make lies in /tmp, never in the work
# directory, which may be the caller's.
_CODE: Final = """\
import json, os, socket
def outcome(action):
    try:
        action()
    except OSError as error:
        return error.errno or -1
    return 0
def status(pid):
    wanted = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    with open("/proc/%s/status" % pid) as file:
        pairs = (line.split(":") for line in file if ":" in line)
        return {{pair[0]: pair[1].strip() for pair in pairs if pair[0] in wanted}}
def connect():
    socket.create_connection(("127.0.0.1", {port}), timeout={seconds}).close()
open("/tmp/probe", "w").close()
with open("/proc/self/mountinfo", "rb") as file:  # names of folders as they are, spaces escaped
    mounts = [os.fsdecode(line).split(" ")[4:6] for line in file]
print(json.dumps(dict(
    user=[os.getuid(), os.getgid()],
    status=[status("self"), status(1)],
    namespaces={{name: os.readlink("/proc/self/ns/" + name) for name in {namespaces!r}}},
    processes=[name for name in os.listdir("/proc") if name.isdigit()],
    mounts=mounts,
    writable=[name for name in ("/", "/dev", "/proc", "/usr") if not os.statvfs(name).f_flag & 1],
    set_id=outcome(lambda: os.chmod("/tmp/probe", 0o4755)),
    family=outcome(lambda: socket.socket(40, socket.SOCK_STREAM)),
    reached=outcome(connect),
    work=os.access(".", os.R_OK | os.W_OK | os.X_OK),
    shell=os.path.isfile({shell!r}) and os.access({shell!r}, os.X_OK),
)))
"""


_KEPT: dict[tuple[object, ...], float] = {}
"""When each kind of sandbox last kept its promises, on ``time.monotonic()``."""


@dataclass(frozen=True, slots=True)
class _Finding:
    """One promise that was tried: whether it held, and what to say if not."""

    holds: bool
    reason: str
    remedy: str = DISTRUST


def probe(confinement: Confinement, work: Path, *, shell: str = "/bin/sh") -> None:
    """Try a sandbox; return if every promise held.

    One of the same kind that kept them all a moment ago, in this process, is not tried again: a
    program that can't be confined any more is not run anyway.

    Args:
        confinement: The sandbox.
        work: Work directory for it; nothing is made in it.
        shell: Path inside of the shell that commands will be run by.

    Raises:
        Refusal: It can't be made, or something of what it promises does not hold.
        SandboxCancelledError: The call that needs it was cancelled.
    """
    facts = work.stat()
    kind = (confinement, shell, facts.st_uid, facts.st_gid, facts.st_mode)
    if _KEPT.get(kind, 0.0) > time.monotonic() - limits.PROBE_FRESH_SECONDS:
        return
    _try(confinement, work, shell)
    if len(_KEPT) >= limits.PROBE_KINDS:
        _KEPT.clear()
    _KEPT[kind] = time.monotonic()


def _try(confinement: Confinement, work: Path, shell: str) -> None:
    with listener() as port:
        code = _CODE.format(
            port=port,
            seconds=PROBE_CONNECT_SECONDS,
            namespaces=_NAMESPACES,
            shell=shell,
        )
        run = ConfinedRun(work=work, code=code, environment={})
        try:
            found = report_of(confinement, run, ProgramBounds())
        except LaunchError as error:
            raise _not_launched(error.line) from None
    for finding in _findings(found, confinement, shell):
        if not finding.holds:
            raise Refusal(finding.reason, finding.remedy)


def _not_launched(line: str) -> Refusal:
    signs = ("namespace", "uid map", "setgroups", "Can't mount proc", "loopback", "RTM_NEWADDR")
    if any(sign in line for sign in signs):
        return Refusal(f"the kernel refuses what a sandbox is made of ({line})", _ALLOW_NAMESPACES)
    return Refusal(
        f"bwrap can't make the sandbox ({line})",
        "Make what it names accessible to this user, or leave it out of the configuration.",
    )


def _findings(found: dict[str, Any], confinement: Confinement, shell: str) -> Iterator[_Finding]:
    yield from _identity(found, confinement)
    yield from _rights(found)
    yield from _files(found)
    if not confinement.network:
        yield _Finding(found["reached"] != 0, "a listener of this host was reached from inside")
    yield _Finding(
        bool(found["work"]),
        "the work directory can't be written to inside",
        "Let the directory belong to the user who runs Harnest.",
    )
    yield _Finding(
        bool(found["shell"]),
        f"the shell {shell} can't be run inside",
        "Name one of the system's folders with shell=, such as /bin/sh.",
    )


def _identity(found: dict[str, Any], confinement: Confinement) -> Iterator[_Finding]:
    same = {
        name
        for name in _NAMESPACES
        if found["namespaces"][name] == os.readlink(f"/proc/self/ns/{name}")  # noqa: PTH115 - its text
    }
    shared = {"net"} if confinement.network else set()
    yield _Finding(
        same == shared, f"programs share namespaces with the host: {', '.join(sorted(same))}"
    )
    yield _Finding(
        found["user"] == [USER_ID, GROUP_ID], "programs have another user than asked for"
    )
    yield _Finding(
        len(found["processes"]) == 2 and "1" in found["processes"],
        "programs see more processes than their own",
    )


def _rights(found: dict[str, Any]) -> Iterator[_Finding]:
    for status in found["status"]:
        capabilities = [int(value, 16) for name, value in status.items() if name[:3] == "Cap"]
        yield _Finding(
            len(capabilities) == 5 and not any(capabilities), "programs have capabilities"
        )
        yield _Finding(status.get("NoNewPrivs") == "1", "programs could gain privileges")
        yield _Finding(status.get("Seccomp") == "2", "no filter of system calls is in force")
    yield _Finding(
        (found["set_id"], found["family"]) == (errno.EPERM, errno.EAFNOSUPPORT),
        "the filter of system calls lets through what it has to refuse",
    )


def _files(found: dict[str, Any]) -> Iterator[_Finding]:
    yield _Finding(not found["writable"], "the system is writable inside")
    open_places = {
        place
        for place, options in found["mounts"]
        if "rw" in options.split(",") and place not in _WRITABLE | _DEVICES
    }
    yield _Finding(not open_places, f"mounted writable: {', '.join(sorted(open_places))}")
    yield _Finding(
        all("nosuid" in options.split(",") for _, options in found["mounts"]),
        "set-user-id files are in force inside",
    )
