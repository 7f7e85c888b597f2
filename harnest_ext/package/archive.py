"""A strict reader of the part of ZIP that wheels need.

What it accepts can be read in one way only: the end record ends the file, the directory stands
right before it, each member is described alike in both places, and the members fill the file from
its first byte to the directory without a gap. Whatever is unusual is refused, by name.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package import zipfields as zf
from harnest_ext.package.rules import archive as rules
from harnest_ext.package.rules import tree as tree_rules
from harnest_ext.package.tree import EntryType
from harnest_ext.package.zip64 import directory_place, effective_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.package.zip64 import DirectoryPlace
    from harnest_ext.package.zipfields import CentralHeader, LocalHeader
    from harnest_ext.rule import Rule

__all__ = ["DEFLATED", "STORED", "Member", "read_directory"]

STORED, DEFLATED = 0, 8
_ENCRYPTED, _DESCRIPTOR, _UTF8 = 1 << 0, 1 << 3, 1 << 11
_DEFLATE_HINTS = 1 << 1 | 1 << 2
_COMPARED = ("needed", "flags", "method", "time", "date", "crc")
"""Fields that are the same in both headers; they stand in this order in either."""
_LOCAL_COMPARED = slice(1, 1 + len(_COMPARED))
_CENTRAL_COMPARED = slice(2, 2 + len(_COMPARED))
_TYPES = {
    0: EntryType.FILE,
    stat.S_IFREG: EntryType.FILE,
    stat.S_IFDIR: EntryType.FOLDER,
    stat.S_IFLNK: EntryType.LINK,
    stat.S_IFIFO: EntryType.PIPE,
    stat.S_IFSOCK: EntryType.SOCKET,
    stat.S_IFBLK: EntryType.DEVICE,
    stat.S_IFCHR: EntryType.DEVICE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member of an archive, described alike in both places.

    Attributes:
        name: Its name, without the ``/`` that ends a folder's.
        type: What it is.
        mode: Permission bits; those of an ordinary file if the archive states none.
        method: ``STORED`` or ``DEFLATED``.
        crc: Checksum of the content.
        size: Bytes of the content.
        packed: Bytes of the content as it is stored.
        start: Offset of the stored content.
    """

    name: str
    type: EntryType
    mode: int
    method: int
    crc: int
    size: int
    packed: int
    start: int


def read_directory(data: bytes) -> tuple[Member, ...]:
    """Return the members of an archive in the order of its directory.

    Args:
        data: The whole file.

    Raises:
        InvalidExtension: At the first thing that more than one reading is possible of.
    """
    place = directory_place(data)
    if place.count > limits.PACKAGE_FILES:
        _refuse(
            tree_rules.FILES,
            "The wheel has too many members.",
            expected=f"at most {limits.PACKAGE_FILES} members",
            got=f"{place.count} members",
        )
    headers = list(_headers(data, place))
    if place.end != place.limit:
        _refuse(rules.GAP, "Bytes between the directory and the end record belong to nothing.")
    members: list[Member] = []
    spans: list[tuple[int, int, str]] = []
    for name, header, extra in headers:
        member, begin = _member(data, name, header, extra)
        members.append(member)
        spans.append((begin, member.start + member.packed, member.name))
    _contiguous(spans, place.offset)
    _folders_once(members)
    return tuple(members)


def _headers(data: bytes, place: DirectoryPlace) -> Iterator[tuple[bytes, CentralHeader, bytes]]:
    position, end = place.offset, place.end
    for _ in range(place.count):
        if not zf.CENTRAL.is_at(data, position) or position + zf.CENTRAL.size > end:
            _refuse(rules.FRAMING, "The directory ends before all its members are listed.")
        header = zf.CentralHeader(*zf.CENTRAL.struct.unpack_from(data, position))
        position += zf.CENTRAL.size
        name = data[position : position + header.name_length]
        position += header.name_length
        extra = data[position : position + header.extra_length]
        position += header.extra_length
        if position > end:
            _refuse(rules.FRAMING, "A record of the directory runs past its end.")
        if header.comment_length:
            _refuse(rules.COMMENT, "A member has a comment.", name)
        yield name, header, extra
    if position != end:
        _refuse(rules.GAP, "The directory holds more than the members that are counted.")


def _member(data: bytes, raw: bytes, header: CentralHeader, extra: bytes) -> tuple[Member, int]:
    """Return a member and the offset of its local header."""
    _supported(raw, header)
    name = _decoded(raw, utf8=bool(header.flags & _UTF8))
    size, packed, offset = effective_sizes(header, zf.extra_fields(extra, name), name)
    start = _local(data, raw, name, header, (size, packed, offset))
    if start + packed > len(data):
        _refuse(rules.FRAMING, "The content of a member runs past the end of the file.", raw)
    if header.method == STORED and size != packed:
        _refuse(rules.FIELDS, "A stored member has two sizes.", raw)
    kind, mode = _kind(raw, header, size, packed)
    member = Member(
        name=name.removesuffix("/"),
        type=kind,
        mode=mode,
        method=header.method,
        crc=header.crc,
        size=size,
        packed=packed,
        start=start,
    )
    return member, offset


def _supported(raw: bytes, header: CentralHeader) -> None:
    if header.flags & _DESCRIPTOR:
        _refuse(rules.DESCRIPTOR, "The sizes of a member follow its content.", raw)
    if header.flags & ~(_UTF8 | _DEFLATE_HINTS):
        what = "is encrypted" if header.flags & _ENCRYPTED else "has a flag that is not known"
        _refuse(rules.FLAGS, f"A member {what}.", raw, got=f"flags {header.flags:#06x}")
    if header.method not in {STORED, DEFLATED}:
        _refuse(
            rules.METHOD,
            "A member is compressed in a way that wheels don't use.",
            raw,
            expected="stored (0) or deflated (8)",
            got=f"method {header.method}",
        )
    if header.disk:
        _refuse(rules.FIELDS, "A member is said to be on another disk.", raw)


def _decoded(raw: bytes, *, utf8: bool) -> str:
    try:
        return raw.decode("utf-8" if utf8 else "ascii")
    except UnicodeDecodeError:
        expected = "UTF-8" if utf8 else "ASCII, or UTF-8 with the UTF-8 flag"
        _refuse(rules.NAME_ENCODING, "The name of a member can't be read.", raw, expected=expected)


def _local(
    data: bytes, raw: bytes, name: str, central: CentralHeader, place: tuple[int, int, int]
) -> int:
    """Compare the local header with the directory's, and return where the content starts."""
    size, packed, offset = place
    if not zf.LOCAL.is_at(data, offset):
        _refuse(rules.FRAMING, "A member is not where the directory says.", raw)
    local = zf.LocalHeader(*zf.LOCAL.struct.unpack_from(data, offset))
    begin = offset + zf.LOCAL.size
    after_name = begin + local.name_length
    start = after_name + local.extra_length
    if data[begin:after_name] != raw:
        _refuse(rules.FIELDS, "A member has two names.", raw)
    if local[_LOCAL_COMPARED] != central[_CENTRAL_COMPARED]:
        _two_values(raw, local, central)
    if start > len(data):
        _refuse(rules.FRAMING, "A member runs past the end of the file.", raw)
    extra = zf.extra_fields(data[after_name:start], name)
    if effective_sizes(local, extra, name)[:2] != (size, packed):
        _refuse(rules.FIELDS, "A member has two sizes.", raw)
    return start


def _two_values(raw: bytes, local: LocalHeader, central: CentralHeader) -> NoReturn:
    for field in _COMPARED:
        ours, theirs = getattr(local, field), getattr(central, field)
        if ours != theirs:
            got = f"{ours} before the content, {theirs} in the directory"
            _refuse(rules.FIELDS, f"A member has two values of {field!r}.", raw, got=got)
    raise AssertionError("the headers were said to differ")


def _kind(raw: bytes, header: CentralHeader, size: int, packed: int) -> tuple[EntryType, int]:
    unix = header.external >> 16
    kind = _TYPES.get(stat.S_IFMT(unix), EntryType.OTHER)
    if not raw.endswith(b"/"):
        if kind is EntryType.FOLDER or header.external & 0x10:
            _refuse(rules.FIELDS, "A member is a folder by its mode and a file by its name.", raw)
        return kind, stat.S_IMODE(unix) or 0o644
    if size or packed:
        _refuse(rules.FOLDER_DATA, "A folder has content.", raw)
    if kind is EntryType.FILE and not stat.S_ISREG(unix):
        kind = EntryType.FOLDER
    if kind is EntryType.FILE:
        _refuse(rules.FIELDS, "A member is a file by its mode and a folder by its name.", raw)
    return kind, stat.S_IMODE(unix) or 0o755


def _contiguous(spans: list[tuple[int, int, str]], end: int) -> None:
    position = 0
    for begin, after, name in sorted(spans):
        if begin != position:
            what = "overlaps another" if begin < position else "does not follow the one before it"
            _refuse(rules.GAP, f"A member {what}.", name.encode())
        position = after
    if position != end:
        _refuse(rules.GAP, "Bytes between the members and the directory belong to nothing.")


def _folders_once(members: list[Member]) -> None:
    """Refuse a folder that is listed twice; whoever looks at paths sees nothing odd in that."""
    listed: set[str] = set()
    for member in members:
        if member.type is EntryType.FOLDER and member.name in listed:
            what = f"The path {member.name!r} is there twice."
            _refuse(tree_rules.COLLISION, what, member.name.encode(), expected="each path once")
        if member.type is EntryType.FOLDER:
            listed.add(member.name)


def _refuse(
    rule: Rule, message: str, name: bytes = b"", *, expected: str = "", got: str = ""
) -> NoReturn:
    path = name.decode("utf-8", "backslashreplace")
    raise InvalidExtension(rule.problem(message, path=path, expected=expected, got=got))
