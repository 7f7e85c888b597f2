"""Generate the seccomp profile: an allow-list for one architecture's native calls only.

The engines' own default compares the socket family as 64 bits, so ``socket(40 | 1 << 32)`` reaches
AF_VSOCK; every condition here masks to the 32 bits that the kernel looks at.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from .syscalls import PLAIN, SERVICE_IPC

ARCHITECTURES: Final = {
    "x86_64": "SCMP_ARCH_X86_64",
    "amd64": "SCMP_ARCH_X86_64",
    "aarch64": "SCMP_ARCH_AARCH64",
    "arm64": "SCMP_ARCH_AARCH64",
    "ppc64le": "SCMP_ARCH_PPC64LE",
    "s390x": "SCMP_ARCH_S390X",
    "riscv64": "SCMP_ARCH_RISCV64",
}
"""Machine names, as daemons report them, and the runtime's names for their native ABI."""

SOCKET_FAMILIES: Final = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}
_LOW = 0xFFFF_FFFF
_NAMESPACES = 0x7E02_0080
"""Every ``CLONE_NEW*`` bit."""
_ENOSYS = 38
_PERSONALITIES = (0x0, 0x0008, 0x20000, 0x20008, _LOW)


_SET_IDS = 0o6000
_FILE_TYPES = 0o170000
_ORDINARY_FILES = (0, 0o100000, 0o010000, 0o140000)
"""No type at all, regular files, pipes, sockets: everything but devices."""
_MODES = (
    ("chmod", 1),
    ("fchmod", 1),
    ("fchmodat", 2),
    ("fchmodat2", 2),
    ("creat", 1),
    ("open", 2),
    ("openat", 3),
)
"""Calls that give a file its mode, and which of their arguments it is."""
_NODES = (("mknod", 1), ("mknodat", 2))
_OPAQUE = ("openat2",)
"""Calls whose mode lies in memory, where a filter cannot look; without them programs use the others."""


@cache
def profile(machine: str, *, service: bool = False, work: bool = False) -> str:
    """Return the profile for *machine* as JSON.

    A service may also use System V IPC and message queues. Where files of the host are at *work*, no
    program can make a file among them that sets the user or group of who runs it, or a device.

    Raises:
        KeyError: the architecture has no profile here.
    """
    names = PLAIN + SERVICE_IPC if service else PLAIN
    if work:
        looked_at = {name for name, _ in _MODES + _NODES} | set(_OPAQUE)
        names = tuple(name for name in names if name not in looked_at)
    document = {
        "defaultAction": "SCMP_ACT_ERRNO",
        # Native calls alone: 32-bit and x32 calls end the program.
        "architectures": [ARCHITECTURES[machine]],
        "syscalls": [_allow(names), *_conditional(), *(_harmless_files() if work else ())],
    }
    return json.dumps(document, separators=(",", ":"))


def _conditional() -> Iterable[dict[str, Any]]:
    for family in SOCKET_FAMILIES.values():
        yield _allow(("socket", "socketpair"), (0, _LOW, family))
    yield _allow(("clone",), (0, _NAMESPACES, 0))
    # The C library falls back to clone, whose flags can be looked at.
    yield {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS}
    # Of the caller itself only: checks by user id let a program starve or unlimit PID 1.
    yield _allow(
        ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam"), (0, _LOW, 0)
    )
    yield _allow(("sched_setscheduler",), (0, _LOW, 0))
    yield _allow(("setpriority",), (0, _LOW, 0), (1, _LOW, 0))
    yield _allow(("ioprio_set",), (0, _LOW, 1), (1, _LOW, 0))
    for persona in _PERSONALITIES:
        yield _allow(("personality",), (0, _LOW, persona))


def _harmless_files() -> Iterable[dict[str, Any]]:
    for name, mode in _MODES:
        yield _allow((name,), (mode, _SET_IDS, 0))
    for name, mode in _NODES:
        for kind in _ORDINARY_FILES:
            yield _allow((name,), (mode, _FILE_TYPES | _SET_IDS, kind))
    yield {"names": list(_OPAQUE), "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS}


def _allow(names: Iterable[str], *conditions: tuple[int, int, int]) -> dict[str, Any]:
    """Allow *names* when for every (argument, mask, value) the masked argument equals the value."""
    rule: dict[str, Any] = {"names": list(names), "action": "SCMP_ACT_ALLOW"}
    if conditions:
        rule["args"] = [
            {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
            for index, mask, value in conditions
        ]
    return rule
