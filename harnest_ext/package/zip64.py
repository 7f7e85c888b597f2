"""Where a ZIP archive's directory lies and how large its members are, ZIP64 records included."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from harnest_ext.errors import InvalidExtension
from harnest_ext.package import zipfields as zf
from harnest_ext.package.rules import archive as rules

if TYPE_CHECKING:
    from harnest_ext.package.zipfields import CentralHeader, EndRecord, LocalHeader, Zip64End
    from harnest_ext.rule import Rule

__all__ = ["DirectoryPlace", "directory_place", "effective_sizes"]

_WIDE16, _WIDE32 = 0xFFFF, 0xFFFFFFFF
_FIELD = 0x0001
_COMMENT_BYTES = 0xFFFF
_END64_REST = 44
"""Value of the size field of a ZIP64 end record without extensible data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryPlace:
    """Where the directory lies.

    Attributes:
        offset: Where it begins.
        end: Where it ends, by its stated size.
        count: How many members it is said to list.
        limit: Where the end records begin, and so it must end.
    """

    offset: int
    end: int
    count: int
    limit: int


def directory_place(data: bytes) -> DirectoryPlace:
    """Return where the directory lies, as the records at the end of the file tell.

    Raises:
        InvalidExtension: There is no end record at the very end, or its figures don't hold.
    """
    at = len(data) - zf.END.size
    if not zf.END.is_at(data, at):
        _no_end_record(data)
    end = zf.EndRecord(*zf.END.struct.unpack_from(data, at))
    if end.comment_length:
        _no_end_record(data)
    if end.disk or end.directory_disk or end.disk_entries != end.entries:
        _refuse(rules.FRAMING, "The archive is said to span several disks.")
    offset, size, count = end.directory_offset, end.directory_size, end.entries
    before = at
    locator = at - zf.LOCATOR.size
    if zf.LOCATOR.is_at(data, locator):
        wide, before = _zip64_end(data, locator)
        _agree(end, wide)
        offset, size, count = wide.directory_offset, wide.directory_size, wide.entries
    elif _WIDE32 in {offset, size} or count == _WIDE16:
        _refuse(rules.FRAMING, "The end record refers to a ZIP64 record that is not there.")
    if offset + size > before:
        _refuse(rules.FRAMING, "The directory runs past the end record.")
    if count and not zf.CENTRAL.is_at(data, offset):
        _refuse(rules.GAP, "Bytes stand before the archive, or its directory has moved.")
    return DirectoryPlace(offset=offset, end=offset + size, count=count, limit=before)


def _no_end_record(data: bytes) -> NoReturn:
    """Say what stands at the end of the file in place of a plain end record."""
    if not data.startswith(zf.LOCAL.signature):
        _refuse(rules.TRUNCATED, "The file is not a ZIP archive.")
    first = max(0, len(data) - zf.END.size - _COMMENT_BYTES)
    at = data.rfind(zf.END.signature, first, len(data) - zf.END.size + 4)
    while at != -1:
        length = int.from_bytes(data[at + zf.END.size - 2 : at + zf.END.size], "little")
        after = len(data) - at - zf.END.size
        if length and length == after:
            _refuse(rules.COMMENT, "The archive has a comment.")
        if not length and after:
            _refuse(rules.GAP, "Bytes follow the end record.")
        at = data.rfind(zf.END.signature, first, at)
    _refuse(rules.TRUNCATED, "The file is cut off.")


def _zip64_end(data: bytes, at: int) -> tuple[Zip64End, int]:
    locator = zf.Zip64Locator(*zf.LOCATOR.struct.unpack_from(data, at))
    start = at - zf.END64.size
    if locator.offset != start or not zf.END64.is_at(data, start):
        _refuse(rules.ZIP64, "The ZIP64 locator does not point at the record before it.")
    wide = zf.Zip64End(*zf.END64.struct.unpack_from(data, start))
    single = locator.disk == 0 and locator.disks == 1 and not wide.disk and not wide.directory_disk
    if wide.size != _END64_REST or not single or wide.disk_entries != wide.entries:
        _refuse(rules.ZIP64, "The ZIP64 end record holds more than its fixed fields.")
    return wide, start


def _agree(end: EndRecord, wide: Zip64End) -> None:
    pairs = (
        (end.entries, wide.entries, _WIDE16),
        (end.directory_size, wide.directory_size, _WIDE32),
        (end.directory_offset, wide.directory_offset, _WIDE32),
    )
    if any(narrow not in {value, mark} for narrow, value, mark in pairs):
        _refuse(rules.ZIP64, "The two end records disagree.")


def effective_sizes(
    header: CentralHeader | LocalHeader, extra: dict[int, bytes], name: str
) -> tuple[int, int, int]:
    """Return size, packed size and offset of a member, its ZIP64 field taken into account.

    The offset of a local header, which states none, is 0.

    Raises:
        InvalidExtension: The ZIP64 field is missing, too short or long, or disagrees.
    """
    offset = getattr(header, "offset", None)
    if not extra and header.size < _WIDE32 > header.packed and (offset or 0) < _WIDE32:
        return header.size, header.packed, offset or 0
    narrow = [header.size, header.packed] + ([] if offset is None else [offset])
    field = extra.get(_FIELD)
    wide = [position for position, value in enumerate(narrow) if value == _WIDE32]
    if field is None:
        if wide:
            _refuse(rules.FRAMING, "A ZIP64 field is missing.", name)
        return narrow[0], narrow[1], offset or 0
    if len(field) % 8 or len(field) > 8 * len(narrow):
        _refuse(rules.ZIP64, "A ZIP64 field has a wrong length.", name)
    values = struct.unpack(f"<{len(field) // 8}Q", field)
    if wide:
        if len(values) != len(wide):
            _refuse(rules.ZIP64, "A ZIP64 field does not hold what its header refers to.", name)
        for position, value in zip(wide, values, strict=True):
            narrow[position] = value
    elif any(value != known for value, known in zip(values, narrow, strict=False)):
        _refuse(rules.ZIP64, "A ZIP64 field disagrees with its header.", name)
    return narrow[0], narrow[1], narrow[2] if offset is not None else 0


def _refuse(rule: Rule, message: str, name: str = "") -> NoReturn:
    raise InvalidExtension(rule.problem(message, path=name))
