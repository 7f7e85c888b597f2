"""Reading what a script says about entries of folders; it is checked like any foreign data."""

from __future__ import annotations

import stat

from harnest.execution.tools.filesystem import Entry, Kind

__all__ = ["RecordError", "entry_of", "kind_of", "read_records"]


class RecordError(OSError):
    """A listing is not what the script writes."""


def kind_of(mode: int) -> Kind:
    """Return the kind of an entry from its ``st_mode``."""
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.SPECIAL


def entry_of(path: bytes, mode: int, size: int) -> Entry:
    """Return an entry; only files have a size that means the same everywhere.

    Args:
        path: Where it is.
        mode: Its ``st_mode``.
        size: Its ``st_size``.
    """
    kind = kind_of(mode)
    return Entry(path=path, kind=kind, size=size if kind is Kind.FILE else 0)


def read_records(data: bytes, *, whole: bool) -> list[Entry]:
    """Return the entries of the records in some bytes.

    Args:
        data: Records as ``EMIT`` writes them.
        whole: Whether the last one is complete; otherwise it is left out.

    Raises:
        RecordError: They are none.
    """
    fields = data.split(b"\0")
    found: list[Entry] = []
    position = 0
    while position < len(fields) - 1:
        try:
            end = fields.index(b"", position)
        except ValueError:
            end = len(fields) - 1
        if end + 1 >= len(fields) - 1:
            if whole:
                raise RecordError("a listing ends within a record")
            break
        found += _entries(fields[position:end], fields[end + 1])
        position = end + 2
    return found


def _entries(names: list[bytes], facts: bytes) -> list[Entry]:
    lines = facts.splitlines()
    if len(lines) != len(names):
        raise RecordError("a listing does not have a line for each name")
    try:
        numbers = [line.split() for line in lines]
        return [
            entry_of(name.removeprefix(b"./"), int(mode, 16), int(size))
            for name, (mode, size) in zip(names, numbers, strict=True)
        ]
    except ValueError as error:
        raise RecordError("a listing holds what stat does not write") from error
