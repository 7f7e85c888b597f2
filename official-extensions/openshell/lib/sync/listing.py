"""What is in a sandbox's work directory: one listing, each entry ended by a NUL.

A name may hold anything but a NUL - newlines, spaces, bytes that are no UTF-8 - so nothing else
ends an entry, and the name comes last in it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import limits

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CLOSED", "LIST", "RemoteEntry", "parsed", "pruned"]

CLOSED = "closed folder"
"""Kind of a folder that can't be looked into."""
LIST = r"""
cd -- "$1" || exit 1
shift
[ $# -gt 0 ] || set -- -false
find . -mindepth 1 \( "$@" \) -prune -o \
  -type d \( ! -readable -o ! -executable \) -printf 'X %m %s %T@ %C@ %i %P\0' -prune -o \
  -printf '%y %m %s %T@ %C@ %i %P\0'
"""
"""Arguments: folder, then the expression of :func:`pruned`."""

_ENTRY = re.compile(
    rb"(?P<kind>[a-zA-Z?]) (?P<mode>[0-7]+) (?P<size>[0-9]+) "
    rb"(?P<stamp>\S+ \S+ [0-9]+) (?P<path>.+)",
    re.DOTALL,
)
_KINDS = {
    "d": "folder",
    "X": CLOSED,
    "f": "file",
    "l": "symbolic link",
    "p": "named pipe",
    "s": "socket",
    "b": "block device",
    "c": "character device",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteEntry:
    """One entry of a work directory.

    Attributes:
        path: Its path below it.
        kind: ``file``, ``folder``, or what else it is.
        size: Its bytes.
        executable: Whether its user may execute it.
        stamp: Changes whenever it is written or replaced.
    """

    path: str
    kind: str
    size: int
    executable: bool
    stamp: str


def pruned(exclude: Sequence[str]) -> list[str]:
    """Return the expression of ``find`` that matches some names literally."""
    words: list[str] = []
    for name in exclude:
        literal = re.sub(r"([\\*?\[])", r"\\\1", name)
        words += [*(["-o"] if words else []), "-name", literal]
    return words


def parsed(data: bytes) -> dict[str, RemoteEntry]:
    """Return the entries of a listing by their paths.

    Raises:
        ValueError: It is no listing, or holds too many entries or a path that leads out.
    """
    records = data.split(b"\0")
    if records.pop() != b"":
        raise ValueError("the listing of the work directory is cut off")
    if len(records) > limits.TREE_ENTRIES:
        raise ValueError(f"the work directory has more than {limits.TREE_ENTRIES} entries")
    entries = map(_entry, records)
    return {entry.path: entry for entry in entries}


def _entry(record: bytes) -> RemoteEntry:
    match = _ENTRY.fullmatch(record)
    if match is None or len(match["path"]) > limits.PATH_BYTES:
        raise ValueError("the listing of the work directory holds something else than entries")
    path = os.fsdecode(match["path"])
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError("the listing of the work directory holds a path that leads out of it")
    return RemoteEntry(
        path=path,
        kind=_KINDS.get(match["kind"].decode(), "special file"),
        size=int(match["size"]),
        executable=bool(int(match["mode"], 8) & 0o100),
        stamp=match["stamp"].decode("ascii", "replace"),
    )
