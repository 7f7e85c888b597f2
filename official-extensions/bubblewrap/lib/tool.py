"""The program ``bwrap`` of this host: where it is, that it can do what is asked, and how it starts.

It is looked for in the system's own folders, never on the caller's PATH, and started by the very
path that was tried.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harnest.execution.local import Refusal

from . import limits
from .arguments import Box, arguments
from .seccomp.program import MACHINES, compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Launch", "Tool", "find_tool"]

_FOLDERS: Final = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
_LEAST: Final = (0, 8)
_VERSION: Final = re.compile(r"bubblewrap (\d+)\.(\d+)", re.ASCII)
_INSTALL: Final = (
    "Install the distribution's package bubblewrap (Debian, Ubuntu: apt install bubblewrap; "
    "Fedora: dnf install bubblewrap)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How one program is started in a sandbox.

    Attributes:
        prefix: What stands before the program's own command line.
        descriptors: Descriptors that it has to inherit.
    """

    prefix: tuple[str, ...]
    descriptors: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A usable ``bwrap``.

    Attributes:
        path: Its absolute path.
        machine: What :func:`os.uname` names this machine's architecture.
    """

    path: str
    machine: str

    @contextlib.contextmanager
    def launch(self, box: Box) -> Iterator[Launch]:
        """Prepare the start of one program: arguments, filter and files in memory, read once.

        Args:
            box: The sandbox.

        Raises:
            OSError: No descriptors are left.
        """
        with contextlib.ExitStack() as stack:
            # With the host's network its abstract sockets would be in reach too.
            filtered = compiled(self.machine, unix_sockets=not box.network)
            seccomp = _in_memory(stack, filtered)
            files = {place: _in_memory(stack, text.encode()) for place, text in box.files().items()}
            listed = arguments(box, seccomp=seccomp, files=files)
            data = b"".join(os.fsencode(part) + b"\0" for part in listed)
            told = _in_memory(stack, data)
            yield Launch(
                prefix=(self.path, "--args", str(told), "--"),
                descriptors=(seccomp, *files.values(), told),
            )


def find_tool() -> Tool:
    """Return this host's ``bwrap``.

    Raises:
        Refusal: This is no Linux, there is none, it is too old, or it is installed with the
            set-user-id bit, which takes options away from it.
    """
    if not sys.platform.startswith("linux"):
        raise Refusal(
            "wrong system: bubblewrap needs Linux",
            "Use the seatbelt extension on macOS, or the docker extension.",
        )
    machine = os.uname().machine
    if machine not in MACHINES or sys.maxsize < 1 << 32:
        raise Refusal(
            f"there is no filter of system calls for {machine} here",
            "Use the docker extension on this architecture.",
        )
    path = _found()
    _check_version(path, Path(path).stat().st_mtime_ns)
    return Tool(path=path, machine=machine)


def _found() -> str:
    for folder in _FOLDERS:
        path = os.path.realpath(f"{folder}/bwrap")
        if os.access(path, os.X_OK) and Path(path).is_file():
            if Path(path).stat().st_mode & stat.S_ISUID:
                raise Refusal(
                    "bwrap is installed with the set-user-id bit, which keeps it from bounding "
                    "the size of /tmp and from locking user namespaces",
                    "Take the bit away (chmod u-s) where the kernel allows user namespaces.",
                )
            return path
    raise Refusal(f"there is no bwrap in {', '.join(_FOLDERS)}", _INSTALL)


@functools.cache
def _check_version(path: str, changed: int) -> None:  # noqa: ARG001 - asked again when it changed
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            env={"LANG": "C"},
            text=True,
            timeout=limits.VERSION_SECONDS,
        )
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise Refusal(f"{path} does not run ({type(error).__name__})", _INSTALL) from None
    match = _VERSION.search(done.stdout)
    if match is None or (int(match[1]), int(match[2])) < _LEAST:
        least = ".".join(map(str, _LEAST))
        raise Refusal(f"{done.stdout.strip()[:80]!r} is older than {least}", _INSTALL)


def _in_memory(stack: contextlib.ExitStack, data: bytes) -> int:
    """Return a descriptor that reads these bytes from their beginning, closed with the stack."""
    descriptor = os.memfd_create("harnest")
    stack.callback(os.close, descriptor)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
