"""ZIP archives written byte by byte, so that a test can make any of them lie."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["RawMember", "RawZip", "deflated"]

UTF8 = 1 << 11


def deflated(data: bytes) -> bytes:
    """Return data as a raw deflate stream."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMember:
    """One member; ``local`` and ``central`` override single header fields by name.

    Fields: made_by, needed, flags, method, time, date, crc, packed, size, external, offset.
    """

    name: str | bytes
    data: bytes = b""
    method: int = 0
    mode: int = 0o100644
    stored: bytes | None = None
    local_name: bytes | None = None
    local_extra: bytes = b""
    central_extra: bytes = b""
    comment: bytes = b""
    local: Mapping[str, int] = field(default_factory=dict)
    central: Mapping[str, int] = field(default_factory=dict)

    @property
    def raw_name(self) -> bytes:
        """The name as bytes."""
        return self.name.encode() if isinstance(self.name, str) else self.name

    def content(self) -> bytes:
        """The content as it is stored."""
        if self.stored is not None:
            return self.stored
        return deflated(self.data) if self.method == 8 else self.data

    def fields(self, changes: Mapping[str, int], offset: int) -> dict[str, int]:
        """The header fields, with changes."""
        return {
            "made_by": 3 << 8 | 20,
            "needed": 20,
            "flags": 0 if self.raw_name.isascii() else UTF8,
            "method": self.method,
            "time": 0,
            "date": 0x21,
            "crc": zlib.crc32(self.data),
            "packed": len(self.content()),
            "size": len(self.data),
            "external": self.mode << 16,
            "offset": offset,
        } | dict(changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawZip:
    """An archive; ``end`` overrides fields of the end record by name.

    Fields: disk, directory_disk, disk_entries, entries, directory_size, directory_offset,
    comment_length.
    """

    members: Iterable[RawMember]
    prefix: bytes = b""
    before_directory: bytes = b""
    after_directory: bytes = b""
    trailer: bytes = b""
    comment: bytes = b""
    hidden: Iterable[RawMember] = ()
    zip64: Mapping[str, int] | None = None
    end: Mapping[str, int] = field(default_factory=dict)

    def build(self) -> bytes:
        """Return the archive."""
        body, directory, count = bytearray(self.prefix), bytearray(), 0
        for member in self.members:
            directory += _central(member, len(body))
            body += _local(member)
            count += 1
        for member in self.hidden:
            body += _local(member)
        body += self.before_directory
        offset = len(body)
        body += directory + self.after_directory
        if self.zip64 is not None:
            body += _zip64(self.zip64, count, len(directory), offset, len(body))
        body += _end(self.end, count, len(directory), offset, self.comment)
        return bytes(body + self.comment + self.trailer)

    def write(self, path: Path) -> Path:
        """Write the archive to a file and return its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.build())
        return path


def _local(member: RawMember) -> bytes:
    f = member.fields(member.central, 0) | dict(member.local)
    name = member.raw_name if member.local_name is None else member.local_name
    numbers = [f[k] for k in ("needed", "flags", "method", "time", "date", "crc", "packed", "size")]
    head = struct.pack("<4s5H3L2H", b"PK\3\4", *numbers, len(name), len(member.local_extra))
    return head + name + member.local_extra + member.content()


def _central(member: RawMember, offset: int) -> bytes:
    f = member.fields(member.central, offset)
    keys = ("made_by", "needed", "flags", "method", "time", "date", "crc", "packed", "size")
    lengths = (len(member.raw_name), len(member.central_extra), len(member.comment))
    head = struct.pack(
        "<4s6H3L5H2L",
        b"PK\1\2",
        *(f[k] for k in keys),
        *lengths,
        0,
        0,
        f["external"],
        f["offset"],
    )
    return head + member.raw_name + member.central_extra + member.comment


def _end(changes: Mapping[str, int], count: int, size: int, offset: int, comment: bytes) -> bytes:
    f = {
        "disk": 0,
        "directory_disk": 0,
        "disk_entries": count,
        "entries": count,
        "directory_size": size,
        "directory_offset": offset,
        "comment_length": len(comment),
    } | dict(changes)
    return struct.pack("<4s4H2LH", b"PK\5\6", *f.values())


def _zip64(changes: Mapping[str, int], count: int, size: int, offset: int, at: int) -> bytes:
    f = {"entries": count, "size": size, "offset": offset, "record": 44, "at": at} | dict(changes)
    end = struct.pack(
        "<4sQ2H2L4Q",
        b"PK\6\6",
        f["record"],
        45,
        45,
        0,
        0,
        f["entries"],
        f["entries"],
        f["size"],
        f["offset"],
    )
    return end + struct.pack("<4sLQL", b"PK\6\7", 0, f["at"], 1)
