"""The fixed records of a ZIP archive, unpacked into named fields (APPNOTE.TXT, section 4.3)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from harnest_ext.errors import InvalidExtension
from harnest_ext.package.rules import archive as rules

if TYPE_CHECKING:
    from harnest_ext.problem import Problem

__all__ = [
    "CENTRAL",
    "END",
    "END64",
    "LOCAL",
    "LOCATOR",
    "CentralHeader",
    "EndRecord",
    "LocalHeader",
    "Zip64End",
    "Zip64Locator",
    "extra_fields",
]


class EndRecord(NamedTuple):
    """End of central directory record."""

    signature: bytes
    disk: int
    directory_disk: int
    disk_entries: int
    entries: int
    directory_size: int
    directory_offset: int
    comment_length: int


class Zip64Locator(NamedTuple):
    """ZIP64 end of central directory locator."""

    signature: bytes
    disk: int
    offset: int
    disks: int


class Zip64End(NamedTuple):
    """ZIP64 end of central directory record, without extensible data."""

    signature: bytes
    size: int
    made_by: int
    needed: int
    disk: int
    directory_disk: int
    disk_entries: int
    entries: int
    directory_size: int
    directory_offset: int


class CentralHeader(NamedTuple):
    """Central directory header."""

    signature: bytes
    made_by: int
    needed: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed: int
    size: int
    name_length: int
    extra_length: int
    comment_length: int
    disk: int
    internal: int
    external: int
    offset: int


class LocalHeader(NamedTuple):
    """Local file header."""

    signature: bytes
    needed: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed: int
    size: int
    name_length: int
    extra_length: int


class _Record:
    """A kind of record: its signature and layout."""

    def __init__(self, signature: bytes, layout: str) -> None:
        self.signature = signature
        self.struct = struct.Struct(layout)
        self.size = self.struct.size

    def is_at(self, data: bytes, offset: int) -> bool:
        """Return whether there is room for a record at ``offset`` and its signature is there."""
        fits = 0 <= offset <= len(data) - self.size
        return fits and data.startswith(self.signature, offset)


END = _Record(b"PK\x05\x06", "<4s4H2LH")
LOCATOR = _Record(b"PK\x06\x07", "<4sLQL")
END64 = _Record(b"PK\x06\x06", "<4sQ2H2L4Q")
CENTRAL = _Record(b"PK\x01\x02", "<4s6H3L5H2L")
LOCAL = _Record(b"PK\x03\x04", "<4s5H3L2H")

_REFUSED = {
    0x0017: "encryption",
    0x6375: "a comment",
    0x7075: "a second name",
    0x9901: "encryption",
}
_EXTRA_BYTES = 256
"""Most bytes of one extra field; builders write times and owners of some 30 bytes."""


def extra_fields(block: bytes, name: str) -> dict[int, bytes]:
    """Return the extra fields of a member by their number.

    Raises:
        InvalidExtension: The block is malformed, or holds a field twice, too large or refused.
    """
    fields: dict[int, bytes] = {}
    position = 0
    while position < len(block):
        if len(block) - position < 4:
            raise InvalidExtension(_overrun(name))
        number, length = struct.unpack_from("<2H", block, position)
        position += 4
        if length > len(block) - position:
            raise InvalidExtension(_overrun(name))
        what = _REFUSED.get(number, "")
        if number in fields:
            what = "one field twice"
        elif length > _EXTRA_BYTES:
            what = f"{length} bytes, more than {_EXTRA_BYTES}"
        if what:
            message = f"The extra fields of a member hold {what}."
            raise InvalidExtension(rules.EXTRA.problem(message, path=name, got=f"{number:#06x}"))
        fields[number] = block[position : position + length]
        position += length
    return fields


def _overrun(name: str) -> Problem:
    return rules.FRAMING.problem("The extra fields of a member overrun their block.", path=name)
