"""Where services of this host listen on Unix sockets with a path: reaching one needs no network."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harnest.execution import limits

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["listener_in", "listeners"]

_TABLE: Final = Path("/proc/net/unix")
_NEXT: Final = re.compile(r"\n(?=[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} )")
"""End of an entry; a path may hold a newline of its own."""
_COLUMNS: Final = 7
"""Columns before a path: number, references, protocol, flags, type, state, inode."""
_ACCEPTS: Final = 0x10000
"""Flag of a socket that takes connections."""
_DATAGRAM: Final = 2
"""Type of a socket that takes messages without a connection, and so as soon as it has a path."""


def listeners(table: Path = _TABLE) -> tuple[str, ...]:
    """Return the real paths of sockets that take connections or messages now, sorted.

    Only those that the kernel lists for this process: not those of another network namespace, of a
    system without such a table, or bound by a relative path. One whose file is gone is left out.

    Args:
        table: The kernel's table of Unix sockets.

    Raises:
        ValueError: The table is longer than :data:`~harnest.execution.limits.SOCKET_TABLE_BYTES`.
    """
    try:
        with table.open("rb") as file:
            data = file.read(limits.SOCKET_TABLE_BYTES + 1)
    except OSError:
        # No such system, or one that doesn't tell: callers say what is then not looked for.
        return ()
    if len(data) > limits.SOCKET_TABLE_BYTES:
        raise ValueError(
            f"the kernel's table of Unix sockets has more than {limits.SOCKET_TABLE_BYTES} bytes, "
            "so nobody can say where services listen"
        )
    bound = {os.path.realpath(path) for path in _listening(os.fsdecode(data))}
    return tuple(sorted(path for path in bound if _may_be_socket(path)))


def listener_in(path: str, found: tuple[str, ...]) -> str | None:
    """Return the first of the sockets ``found`` that is ``path`` or lies in it; None if none does.

    Args:
        path: Real path of a file or folder.
        found: What :func:`listeners` returned.
    """
    folder = path.rstrip("/") + "/"
    return next((item for item in found if item == path or item.startswith(folder)), None)


def _listening(text: str) -> Iterator[str]:
    for entry in _NEXT.split(text.removesuffix("\n")):
        columns = entry.split(maxsplit=_COLUMNS)
        if len(columns) <= _COLUMNS or not columns[_COLUMNS].startswith("/"):
            continue  # the heading, a socket without a name, or an abstract one
        if int(columns[3], 16) & _ACCEPTS or int(columns[4], 16) == _DATAGRAM:
            yield entry[entry.index("/") :]  # with its own blanks: no column before it has a slash


def _may_be_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        # Programs may get further than this process does: they may be another user's.
        return True
