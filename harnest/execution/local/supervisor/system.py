"""The few calls to the kernel that Python does not offer, and small files of ``/proc``."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # the package `typing` costs more than a short program
if TYPE_CHECKING:
    from typing import Any

# The public wrappers `ctypes` and `signal` cost a third of an interpreter's start (5 ms each of
# 19 ms CPU, measured); these are the modules of the standard library that they wrap.
try:
    import _signal  # type: ignore[import-not-found]
    from _ctypes import call_function, dlopen, dlsym

    def _libc(name: str, *arguments: object) -> int:
        everything = dlopen(None, 0)  # type: ignore[arg-type]
        return int(call_function(dlsym(everything, name), arguments))

    signals = _signal

except ImportError:
    import ctypes
    import signal

    def _libc(name: str, *arguments: object) -> int:
        return int(getattr(ctypes.CDLL(None), name)(*arguments))

    signals = signal


LINUX = sys.platform.startswith("linux")

# prctl(2), unshare(2) and netdevice(7); the numbers are the kernel's.
PDEATHSIG, DUMPABLE, NO_NEW_PRIVS, CHILD_SUBREAPER = 1, 4, 38, 36
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_REQUEST = "16sh14x"

ADDRESS_SPACE = 9 if LINUX else 5
"""Number of the limit of a process's addresses, as ``getrlimit(2)`` numbers it."""

_FILE_BYTES = 4096  # more than any file of /proc that is read here has


def prctl(option: int, value: int) -> bool:
    """Set an attribute of this process; return whether the kernel did."""
    return LINUX and _libc("prctl", option, value, 0, 0, 0) == 0


def read(path: str) -> bytes:
    """Return the beginning of a small file.

    Raises:
        OSError: It can't be read.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, _FILE_BYTES)
    finally:
        os.close(descriptor)


def write(path: str, text: str) -> None:
    """Write a small file of the kernel's in one piece.

    Raises:
        OSError: It can't be written.
    """
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def use_null_for(*descriptors: int) -> None:
    """Let descriptors read nothing and write to nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)


def shared_byte() -> Any:
    """Return a byte, 0 at first, that this process and those forked from it share."""
    import mmap  # noqa: PLC0415 - only few programs need it

    return mmap.mmap(-1, 1)


def ignore_signals() -> dict[int, object]:
    """Ignore whatever the program could send us; return the handlers to give back to it."""
    handlers: dict[int, object] = {}
    kept = {int(signals.SIGKILL), int(signals.SIGSTOP), int(signals.SIGCHLD)}
    for number in sorted(set(range(1, 32)) - kept):
        try:
            handlers[number] = signals.signal(number, signals.SIG_IGN)
        except (OSError, ValueError):
            continue
    return handlers


def prefer_for_oom_kill() -> None:
    """Let the kernel, out of memory, end this process rather than Harnest."""
    try:
        write("/proc/self/oom_score_adj", "1000")
    except OSError:
        return


def limit(number: int, soft: int, hard: int) -> None:
    """Set a resource limit of this process.

    Args:
        number: Which, as ``getrlimit(2)`` numbers them.
        soft: The limit.
        hard: What it could be raised to.

    Raises:
        OSError: The kernel refuses.
    """
    if sys.maxsize < 1 << 32:
        import resource  # noqa: PLC0415 - 1 ms, paid only where the structure has another shape

        resource.setrlimit(number, (soft, hard))
        return
    values = soft.to_bytes(8, sys.byteorder) + hard.to_bytes(8, sys.byteorder)
    if _libc("setrlimit", number, values) != 0:
        raise OSError(22, "setrlimit")


def leave_network() -> None:
    """Move into a network namespace of our own that holds nothing but a loopback device.

    Raises:
        OSError: The kernel refuses.
    """
    uid, gid = os.getuid(), os.getgid()
    if not LINUX or _libc("unshare", _NEW_USER | _NEW_NETWORK) != 0:
        raise OSError(1, "unshare")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{uid} {uid} 1")
    write("/proc/self/gid_map", f"{gid} {gid} 1")
    _raise_loopback()


def _raise_loopback() -> None:
    # Imported here: only programs without network pay the 10 ms that `socket` takes.
    import fcntl  # noqa: PLC0415
    import socket  # noqa: PLC0415
    import struct  # noqa: PLC0415

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        answer = fcntl.ioctl(handle, _GET_FLAGS, struct.pack(_REQUEST, b"lo", 0))
        flags = struct.unpack(_REQUEST, answer)[1] | _UP
        fcntl.ioctl(handle, _SET_FLAGS, struct.pack(_REQUEST, b"lo", flags))
