"""Say which paths of the host may be seen by programs, and refuse the others by name of the rule.

What is refused, whatever its permissions: trees of the kernel and of running services, every path that
is the daemon's socket or holds it, what another file system is mounted below, what is neither a folder
nor a regular file, and a path to be read below which a service of the host listens.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from harnest.execution import UnsupportedPromiseError
from harnest.execution.listeners import listener_in, listeners

from ..limits import WORK_DIRECTORY

KERNEL_TREES: Final = ("/proc", "/sys", "/dev", "/run")
"""Nothing of these is ever shown: devices, the kernel's own files, and the sockets of services."""
SOCKETS: Final = (
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/podman/podman.sock",
)
"""Where engines listen that would give the whole host to whoever can write to them."""
_TAKEN: Final = ("/tmp", "/dev/shm", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf")  # noqa: S108 - paths inside
"""Paths inside at which something of the container's own is mounted: it would be made on the host, by
root, where a folder of the host's does not have it."""


def check_work_directory(directory: Path, sockets: Iterable[str]) -> None:
    """Refuse a work directory that programs must not be able to write in.

    Raises:
        UnsupportedPromiseError: as the module says.
    """
    _check("directory", directory, sockets)
    if not directory.is_dir():
        raise _refusal("directory", directory, "it is no folder", "name a folder")


def check_allowed(path: Path, directory: Path, sockets: Iterable[str]) -> None:
    """Refuse a path that programs must not be able to read.

    Raises:
        UnsupportedPromiseError: as the module says; or it lies in the work directory, or where a
            container has something else.
    """
    _check("allowed_paths", path, sockets)
    if not stat.S_ISREG(mode := path.stat().st_mode) and not stat.S_ISDIR(mode):
        raise _refusal("allowed_paths", path, "it is neither a folder nor a file", "leave it out")
    if path.is_relative_to(directory):
        # A program could put a link in its place, and the next container would mount what that names.
        why = "it lies in the work directory, where programs can change it"
        raise _refusal("allowed_paths", path, why, "leave it out: programs can read it already")
    if path.is_relative_to(WORK_DIRECTORY) or any(_within(place, str(path)) for place in _TAKEN):
        why = "containers have something of their own at this path or in it"
        raise _refusal("allowed_paths", path, why, "name what is in it, or move it")


def check_listeners(paths: Iterable[Path]) -> None:
    """Refuse every path that is or holds a Unix socket on which something of this host listens now.

    Raises:
        UnsupportedPromiseError: one does, or the kernel's table is too long to be looked through.
    """
    paths = tuple(paths)
    try:
        found = listeners() if paths else ()
    except ValueError as error:
        raise _refusal("allowed_paths", paths[0], f"{error}", "allow no paths here") from None
    for path in paths:
        listener = listener_in(str(path), found)
        if listener is not None:
            why = (
                f"a service of the host listens on the Unix socket {listener!r}, and programs could "
                "connect to it"
            )
            raise _refusal("allowed_paths", path, why, "name the folders beside it, or move it")


def socket_paths(daemon: str) -> tuple[str, ...]:
    """Return every path that must not be seen, *daemon*'s socket and what it is a link to included."""
    named = (daemon, *SOCKETS)
    return tuple(dict.fromkeys((*named, *(os.path.realpath(path) for path in named))))


def mounts_below(path: Path, table: str = "/proc/self/mountinfo") -> list[str]:
    """Return where file systems are mounted below *path*, from the kernel's *table*."""
    try:
        lines = Path(table).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        # Another system: its daemon runs in a machine of its own, which mounts what it is told to.
        return []
    points = (_plain(line.split(" ")[4]) for line in lines)
    return sorted({point for point in points if point != str(path) and _within(point, str(path))})


def _check(field: str, path: Path, sockets: Iterable[str]) -> None:
    if not path.is_absolute() or path.resolve() != path:
        raise _refusal(field, path, "it is no real absolute path", "name it without links")
    if not _is_text(path):
        raise _refusal(field, path, "its name is no UTF-8, which daemons take alone", "rename it")
    if path == Path("/"):
        raise _refusal(field, path, "it is the whole host", "name the folder that is needed")
    for tree in KERNEL_TREES:
        if path.is_relative_to(tree):
            why = f"{tree} holds what belongs to the kernel or to services"
            raise _refusal(field, path, why, "copy what is needed to another place")
    for place in sockets:
        if _within(place, str(path)):
            why = (
                "it is or holds the socket of a container engine, which is access to the whole host"
            )
            raise _refusal(field, path, why, "name the folders beside it")
    below = mounts_below(path)
    if below:
        why = f"another file system is mounted below it, at {below[0]}"
        raise _refusal(field, path, why, "name what is beside it, and that place on its own")


def _refusal(field: str, path: Path, why: str, remedy: str) -> UnsupportedPromiseError:
    return UnsupportedPromiseError(
        f"{field}: {str(path)!r} can't be shown to programs of the tier 'docker': {why}. Do: {remedy}."
    )


def _within(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(field: str) -> str:
    """Undo the table's octal escapes of blanks, newlines and backslashes."""
    for mark, text in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(mark, text)
    return field
