"""What PID 1 asks of the kernel: protection of itself, limits in force, evidence, and a clean sweep."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the part without enum, which costs milliseconds
import os

TYPE_CHECKING = False  # importing typing would cost each start milliseconds
if TYPE_CHECKING:
    from typing import Any

_PR_SET_DUMPABLE = 4

_EVIDENCE = (
    ("oom_kill", ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")),
    ("max", ("/sys/fs/cgroup/pids/pids.events", "/sys/fs/cgroup/pids.events")),
)
_LIMITS = (
    ("memory", ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max")),
    ("memory_swap", ("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes",)),
    ("swap", ("/sys/fs/cgroup/memory.swap.max",)),
    ("pids", ("/sys/fs/cgroup/pids/pids.max", "/sys/fs/cgroup/pids.max")),
    (
        "cpu_quota",
        ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"),
    ),
    (
        "cpu_period",
        ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us"),
    ),
    ("cpu_max", ("/sys/fs/cgroup/cpu.max",)),
)
_STATUS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Uid", "Gid")


def _prctl() -> Any:
    """Return the C library's function.

    Where the built-in part of ctypes is known it is used alone: all of ctypes would cost each start
    six milliseconds.
    """
    try:
        from _ctypes import FUNCFLAG_CDECL, CFuncPtr, _SimpleCData, dlopen, dlsym  # noqa: PLC0415 - may be missing
    except ImportError:
        import ctypes  # noqa: PLC0415 - as the text above says

        return ctypes.CDLL(None).prctl
    result = type("Int", (_SimpleCData,), {"_type_": "i"})
    function = type("Function", (CFuncPtr,), {"_flags_": FUNCFLAG_CDECL, "_restype_": result})
    return function(dlsym(dlopen(None, 0), "prctl"))  # type: ignore[arg-type]  # None is this process


_PRCTL = _prctl()


def set_dumpable(on: bool) -> None:
    """Open or close ``/proc/<pid>/{fd,mem,environ}`` and ptrace of this process to its own user."""
    if _PRCTL(_PR_SET_DUMPABLE, 1 if on else 0, 0, 0, 0) != 0:
        raise OSError("prctl")


def protect() -> None:
    """Make PID 1 out of reach for programs of the same user."""
    set_dumpable(False)
    # With the default action the kernel drops the signal for the first process of a namespace.
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def facts() -> dict[str, object]:
    """Return the limits that are in force, as short texts; one that cannot be read is left out."""
    found: dict[str, object] = {}
    for name, paths in _LIMITS:
        text = _first(paths)
        if text is not None:
            found[name] = text.replace(" ", "/")
    with open("/proc/self/status") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name in _STATUS:
                found[name] = value.split()[0]
    for path in ("/tmp", "/dev/shm"):
        size = os.statvfs(path)
        found[path] = size.f_blocks * size.f_frsize
    return found


def _first(paths: tuple[str, ...]) -> str | None:
    for path in paths:
        try:
            with open(path) as file:
                return file.read().strip()
        except OSError:
            continue
    return None


class Evidence:
    """Counters of the container's own limits; the files are opened once, before any program runs."""

    def __init__(self) -> None:
        self._files = []
        for key, paths in _EVIDENCE:
            path = next((path for path in paths if os.path.exists(path)), None)
            if path is not None:
                self._files.append((key, os.open(path, os.O_RDONLY | os.O_CLOEXEC)))

    def read(self) -> dict[str, int]:
        """Return ``{"oom_kill": n, "max": n}`` as far as the kernel offers them."""
        counters = {}
        for key, file in self._files:
            for line in os.pread(file, 4096, 0).decode().splitlines():
                name, _, value = line.partition(" ")
                if name == key:
                    counters[key] = int(value)
        return counters


def kill_all() -> None:
    """Kill every other process of the container, stopped ones and other sessions too."""
    try:
        os.kill(-1, _signal.SIGKILL)
    except ProcessLookupError:
        pass


def sweep() -> int:
    """Kill and reap until nothing but PID 1 is left; return how many were reaped."""
    reaped = 0
    while True:
        kill_all()
        try:
            os.waitpid(-1, 0)
            reaped += 1
        except ChildProcessError:
            if not others():
                return reaped


def others() -> list[str]:
    """Return the other processes of the container."""
    return [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())]


def clear_shared_memory(path: str = "/dev/shm") -> None:
    """Remove everything below *path*; nothing else runs, so nothing can change under our hands."""
    # A program owns the folder, and may have closed it.
    os.chmod(path, 0o1777)  # noqa: S103 - as the runtime made it
    if os.listdir(path):
        from . import scratch  # noqa: PLC0415 - compiled only where it is needed

        scratch.clear(path)
