"""What the strict ZIP reader takes, and by which rule it refuses everything else."""

from __future__ import annotations

import struct
import zlib

import pytest

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package.archive import Member, read_directory
from harnest_ext.package.inflate import member_content, ratio_problem
from harnest_ext.package.tree import EntryType
from tests.support.zips import UTF8, RawMember, RawZip, deflated

TEXT = b"hello, hello, hello\n" * 10


def member(name: str | bytes = "a.txt", **changes: object) -> RawMember:
    """Return a small member with changes."""
    return RawMember(**({"name": name, "data": TEXT} | changes))  # type: ignore[arg-type]


def archive(*members: RawMember, **changes: object) -> bytes:
    """Return an archive of the members, by default of one, with changes."""
    return RawZip(members=members or (member(),), **changes).build()  # type: ignore[arg-type]


def zip64(*values: int) -> bytes:
    """Return a ZIP64 extra field."""
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)


def contents(data: bytes) -> dict[str, bytes]:
    """Return the content of every file in an archive."""
    return {
        m.name: b"".join(member_content(data, m))
        for m in read_directory(data)
        if m.type is EntryType.FILE
    }


ACCEPTED = {
    "stored": archive(member()),
    "deflated": archive(member(method=8)),
    "empty file": archive(member(data=b"")),
    "no members": RawZip(members=()).build(),
    "deflate hints": archive(member(method=8, central={"flags": 6})),
    "times and owners": archive(
        member(local_extra=struct.pack("<2H9s", 0x5455, 9, b"\3" + b"\0" * 8))
    ),
    "folder member": archive(RawMember(name="lib/", mode=0o40755), member("lib/a.txt")),
    "mode not stated": archive(member(mode=0)),
    "needless zip64 end": archive(member(), zip64={}),
    "zip64 sizes before the content": archive(
        member(
            central={"needed": 45},
            local={"size": 0xFFFFFFFF, "packed": 0xFFFFFFFF},
            local_extra=zip64(len(TEXT), len(TEXT)),
        )
    ),
    "zip64 offset in the directory": archive(
        member(central_extra=zip64(0), central={"offset": 0xFFFFFFFF})
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_can_be_read_in_one_way_only_is_read(name: str) -> None:
    """Ordinary archives give every member its exact content."""
    found = contents(ACCEPTED[name])
    assert set(found.values()) <= {TEXT, b""}
    assert len(found) == (0 if name == "no members" else 1)


def test_members_out_of_file_order_are_accepted() -> None:
    """The directory may list members in another order than that of their contents."""
    data = archive(member("a"), member("b", data=b"b"))
    one, two = data.index(b"PK\1\2"), data.rindex(b"PK\1\2")
    end = data.rindex(b"PK\5\6")
    swapped = data[:one] + data[two:end] + data[one:two] + data[end:]
    assert [m.name for m in read_directory(swapped)] == ["b", "a"]


def test_modes_and_types_are_those_of_the_directory() -> None:
    """A member tells what it is, so that links and devices can be refused by name."""
    kinds = {0o120777: EntryType.LINK, 0o010644: EntryType.PIPE, 0o140755: EntryType.SOCKET}
    for mode, kind in kinds.items():
        (found,) = read_directory(archive(member(mode=mode)))
        assert (found.type, found.mode) == (kind, mode & 0o7777)


REFUSED = {
    "zip.truncated": {
        "nothing": b"",
        "noise": b"\x93NUMPY" * 40,
        "an error page": b"<html>not found</html>" * 20,
        "cut in the content": archive(member())[:80],
        "cut in the end record": archive(member())[:-1],
        "end record promises a comment": archive(end={"comment_length": 5}),
    },
    "zip.comment": {
        "archive comment": archive(comment=b"hello"),
        "end record inside a comment": archive(comment=b"PK\5\6" + b"\1" * 18),
        "member comment": archive(member(comment=b"PK\1\2")),
    },
    "zip.gap": {
        "prefix": archive(prefix=b"#!/bin/sh\n", end={"directory_offset": 35 + len(TEXT)}),
        "prefix with right offsets": archive(prefix=b"#!/bin/sh\n"),
        "trailer": archive(trailer=b"more"),
        "bytes before the directory": archive(before_directory=b"hidden"),
        "bytes after the directory": archive(after_directory=b"hidden"),
        "a member that is not listed": archive(hidden=(member("ghost"),)),
        "fewer members than listed": archive(
            member("a"), member("b"), end={"entries": 1, "disk_entries": 1}
        ),
        "two members in one place": archive(member("a"), member("a", central={"offset": 0})),
    },
    "zip.framing": {
        "more members than listed": archive(end={"entries": 2, "disk_entries": 2}),
        "directory too small": archive(end={"directory_size": 40}),
        "directory past the end": archive(end={"directory_offset": 1 << 20}),
        "several disks": archive(end={"disk": 1}),
        "counts differ": archive(end={"disk_entries": 0}),
        "zip64 promised": archive(end={"directory_offset": 0xFFFFFFFF}),
        "offset past the end": archive(member(central={"offset": 1 << 20})),
        "content past the end": archive(
            member(stored=TEXT, central={"packed": 1 << 20, "size": 1 << 20})
        ),
        "extra overruns": archive(member(central_extra=struct.pack("<2H", 0x5455, 99))),
        "extra too short": archive(member(local_extra=b"\1\0")),
        "zip64 field missing": archive(member(central={"size": 0xFFFFFFFF})),
    },
    "zip.fields": {
        "two names": archive(member(local_name=b"b.txt")),
        "two methods": archive(member(local={"method": 8})),
        "two checksums": archive(member(local={"crc": 1})),
        "two sizes": archive(member(local={"size": 1})),
        "two flags": archive(member(local={"flags": UTF8})),
        "two dates": archive(member(local={"date": 0x22})),
        "two times": archive(member(local={"time": 7})),
        "two versions": archive(member(local={"needed": 45})),
        "stored with two sizes": archive(member(central={"size": 1})),
        "folder by mode": archive(member(mode=0o40755)),
        "folder by DOS attribute": archive(member(central={"external": 0x10})),
        "file by mode": archive(RawMember(name="lib/", mode=0o100644)),
    },
    "zip.descriptor": {"streamed": archive(member(central={"flags": 1 << 3}))},
    "zip.flags": {
        "encrypted": archive(member(central={"flags": 1})),
        "patched": archive(member(central={"flags": 1 << 5})),
        "strong encryption": archive(member(central={"flags": 1 | 1 << 6})),
        "masked": archive(member(central={"flags": 1 << 13})),
        "unknown": archive(member(central={"flags": 1 << 4})),
    },
    "zip.method": {
        f"method {number}": archive(member(central={"method": number}))
        for number in (1, 6, 9, 12, 14, 93, 95, 98, 99)
    },
    "zip.name": {
        "not UTF-8": archive(member(b"\xff.txt")),
        "no UTF-8 flag": archive(member("\u00e9.txt", central={"flags": 0})),
    },
    "zip.folder-data": {
        "folder of bytes": archive(RawMember(name="lib/", data=b"x", mode=0o40755))
    },
    "zip.extra": {
        "second name": archive(
            member(central_extra=struct.pack("<2H9s", 0x7075, 9, b"\1" + b"x" * 8))
        ),
        "twice": archive(member(central_extra=struct.pack("<2HL2HL", 9, 4, 0, 9, 4, 0))),
        "large": archive(member(central_extra=struct.pack("<2H300s", 9, 300, b""))),
        "zip64 twice": archive(
            member(central_extra=zip64(0) + zip64(0), central={"offset": 0xFFFFFFFF})
        ),
    },
    "zip.zip64": {
        "locator elsewhere": archive(zip64={"at": 0}),
        "counts disagree": archive(zip64={"entries": 7}),
        "sizes disagree": archive(zip64={"size": 7}),
        "extensible data": archive(zip64={"record": 45}),
        "field too long": archive(member(central_extra=zip64(0, 0, 0, 0))),
        "field not referred to": archive(member(central_extra=zip64(1))),
        "field too short": archive(
            member(central={"size": 0xFFFFFFFF, "packed": 0xFFFFFFFF}, central_extra=zip64(1))
        ),
    },
    "tree.files": {"too many": archive(end={"entries": 10_001, "disk_entries": 10_001})},
}


@pytest.mark.parametrize(
    ("rule", "name"), [(rule, name) for rule, cases in REFUSED.items() for name in cases]
)
def test_whatever_can_be_read_in_two_ways_is_refused_by_its_rule(rule: str, name: str) -> None:
    """Each deviation from the strict subset is refused, and says why and what to do."""
    with pytest.raises(InvalidExtension) as caught:
        read_directory(REFUSED[rule][name])
    assert caught.value.rule == rule
    assert caught.value.remedy


DAMAGED = {
    "zip.corrupt": {
        "no deflate stream": member(method=8, stored=b"\xff\xff\xff"),
        "cut stream": member(method=8, stored=deflated(TEXT)[:-4]),
        "wrong checksum": member(central={"crc": 5}),
        "shorter than said": member(method=8, central={"size": len(TEXT) + 1}),
    },
    "zip.content": {
        "bytes after the stream": member(method=8, stored=deflated(TEXT) + b"more"),
        "longer than said": member(method=8, central={"size": len(TEXT) - 1}),
    },
}


@pytest.mark.parametrize(
    ("rule", "name"), [(rule, name) for rule, cases in DAMAGED.items() for name in cases]
)
def test_content_that_is_not_what_was_announced_is_refused(rule: str, name: str) -> None:
    """Damage and hidden bytes are found while inflating, never copied."""
    data = archive(DAMAGED[rule][name])
    (only,) = read_directory(data)
    with pytest.raises(InvalidExtension) as caught:
        list(member_content(data, only))
    assert (caught.value.rule, caught.value.path) == (rule, "a.txt")


def test_inflating_stops_as_soon_as_a_member_is_longer_than_it_says() -> None:
    """A bomb that lies about its size costs no more than one chunk beyond that size."""
    bomb = deflated(bytes(40 * limits.MIB))
    data = archive(member(method=8, stored=bomb, central={"size": 100}))
    (only,) = read_directory(data)
    seen: list[int] = []
    with pytest.raises(InvalidExtension) as caught:
        seen.extend(map(len, member_content(data, only)))
    assert caught.value.rule == "zip.content"
    assert sum(seen) <= limits.READ_BYTES


def test_content_comes_in_bounded_chunks() -> None:
    """Neither stored nor deflated content is ever handed over in one piece."""
    blob = bytes(range(256)) * 4096
    for method in (0, 8):
        data = archive(member(data=blob, method=method))
        (only,) = read_directory(data)
        chunks = list(member_content(data, only))
        assert b"".join(chunks) == blob
        assert max(map(len, chunks)) <= limits.READ_BYTES


@pytest.mark.parametrize(
    ("size", "packed", "refused"),
    [
        (limits.MIB, 1, False),
        (limits.MIB + 1, 1, True),
        (200 * limits.MIB, 2 * limits.MIB, False),
        (200 * limits.MIB + 1, 2 * limits.MIB, True),
    ],
)
def test_only_large_members_are_held_to_the_ratio(size: int, packed: int, *, refused: bool) -> None:
    """Small files may compress as well as they like; above 1 MiB a hundredfold is the end."""
    bomb = Member(
        name="x",
        type=EntryType.FILE,
        mode=0o644,
        method=8,
        crc=0,
        size=size,
        packed=packed,
        start=0,
    )
    problem = ratio_problem(bomb)
    assert (problem is not None) is refused
    assert zlib.crc32(b"") == bomb.crc
