"""The content of a ZIP member, inflated in bounded steps and verified against its description."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package.archive import STORED
from harnest_ext.package.rules import archive as rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.package.archive import Member
    from harnest_ext.problem import Problem

__all__ = ["member_content", "ratio_problem"]


class _Inflater(Protocol):
    """What zlib's decompression objects do."""

    @property
    def unconsumed_tail(self) -> bytes:
        """Input that waits for room in the output."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most ``max_length`` bytes of output."""


_RATIO_FROM = 1 * limits.MIB


def ratio_problem(member: Member) -> Problem | None:
    """Return why a member inflates beyond proportion, or None; looks at its description alone."""
    if member.size <= _RATIO_FROM or member.size <= member.packed * limits.WHEEL_RATIO:
        return None
    return rules.RATIO.problem(
        "A member inflates beyond proportion.",
        path=member.name,
        expected=f"at most {limits.WHEEL_RATIO} times its stored size",
        got=f"{member.size} bytes from {member.packed}",
    )


def member_content(data: bytes, member: Member) -> Iterator[bytes]:
    """Yield the content of a member in chunks of at most ``limits.READ_BYTES``.

    Never inflates more than the member's size plus one chunk.

    Args:
        data: The whole archive.
        member: One of its members.

    Raises:
        InvalidExtension: rules ``zip.corrupt`` and ``zip.content``.
    """
    stored = memoryview(data)[member.start : member.start + member.packed]
    chunks = _stored(stored) if member.method == STORED else _inflated(stored, member)
    size = crc = 0
    for chunk in chunks:
        size += len(chunk)
        crc = zlib.crc32(chunk, crc)
        if size > member.size:
            raise InvalidExtension(
                rules.CONTENT.problem(
                    "A member holds more than its size.",
                    path=member.name,
                    expected=f"{member.size} bytes",
                )
            )
        yield chunk
    if size != member.size or crc != member.crc:
        what = "checksum" if size == member.size else "size"
        raise InvalidExtension(
            rules.CORRUPT.problem(f"The content of a member has another {what}.", path=member.name)
        )


def _stored(data: memoryview) -> Iterator[bytes]:
    for start in range(0, len(data), limits.READ_BYTES):
        yield bytes(data[start : start + limits.READ_BYTES])


def _inflated(data: memoryview, member: Member) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for start in range(0, len(data), limits.READ_BYTES):
            if inflater.eof:
                raise InvalidExtension(_trailing(member))
            yield from _steps(inflater, bytes(data[start : start + limits.READ_BYTES]))
    except zlib.error as error:
        raise InvalidExtension(
            rules.CORRUPT.problem("The content of a member does not inflate.", path=member.name)
        ) from error
    if inflater.unused_data:
        raise InvalidExtension(_trailing(member))
    if not inflater.eof:
        raise InvalidExtension(
            rules.CORRUPT.problem("The content of a member is cut off.", path=member.name)
        )


def _steps(inflater: _Inflater, pending: bytes) -> Iterator[bytes]:
    while True:
        chunk = inflater.decompress(pending, limits.READ_BYTES)
        pending = inflater.unconsumed_tail
        if chunk:
            yield chunk
        if not pending and len(chunk) < limits.READ_BYTES:
            return


def _trailing(member: Member) -> Problem:
    return rules.CONTENT.problem("Bytes follow the content of a member.", path=member.name)
