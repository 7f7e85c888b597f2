"""A wheel's bytes: read once from one open file, its members verified against RECORD."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package.archive import read_directory
from harnest_ext.package.inflate import member_content
from harnest_ext.package.model import ArchiveFile
from harnest_ext.package.record import encoded
from harnest_ext.package.rules import archive as rules
from harnest_ext.package.rules import tree as tree_rules
from harnest_ext.package.rules import wheel as wheel_rules
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from harnest_ext.package.archive import Member
    from harnest_ext.package.findings import Findings
    from harnest_ext.package.record import Row

__all__ = ["WheelFile"]


class WheelFile:
    """One wheel in memory, which ``limits.WHEEL_BYTES`` bounds.

    Attributes:
        path: Where it was read.
        archive: Name, hash and size of the file.
        members: Everything in it, once :meth:`list_members` has run.
        rows: The rows of RECORD, once they are known; content is verified against them.
    """

    def __init__(self, path: Path) -> None:
        """Read and hash the file at ``path``.

        Raises:
            InvalidExtension: The file can't be read or is too large.
        """
        self.path = path
        self._data = _bytes_of(path)
        self.archive = ArchiveFile(
            name=path.name,
            sha256=hashlib.sha256(self._data).hexdigest(),
            size=len(self._data),
        )
        self.members: tuple[Member, ...] = ()
        self.rows: Mapping[str, Row] = {}

    def list_members(self) -> None:
        """Read the archive's directory.

        Raises:
            InvalidExtension: The file is no unambiguous archive.
        """
        self.members = read_directory(self._data)

    def files(self) -> dict[str, Member]:
        """Return the members that are files, by path."""
        return {member.name: member for member in self.members if member.type is EntryType.FILE}

    def content(self, member: Member) -> Iterator[bytes]:
        """Yield the content of a member, verified against its checksum and its row in RECORD.

        Raises:
            InvalidExtension: rules ``zip.corrupt``, ``zip.content`` and ``record.mismatch``.
        """
        row = self.rows.get(member.name)
        if row is None or not row.algorithm:
            yield from member_content(self._data, member)
            return
        state = hashlib.new(row.algorithm)
        for chunk in member_content(self._data, member):
            state.update(chunk)
            yield chunk
        digest = encoded(state.digest())
        if digest != row.digest or (row.size is not None and row.size != member.size):
            raise InvalidExtension(
                wheel_rules.RECORD.problem(
                    "A file is not what RECORD says.",
                    path=member.name,
                    expected=f"{row.algorithm}={row.digest}, {row.size} bytes",
                    got=f"{row.algorithm}={digest}, {member.size} bytes",
                )
            )

    def small(self, member: Member, limit: int, findings: Findings) -> bytes | None:
        """Return the content of a small file; None, and a problem, if it is large or damaged."""
        if member.size > limit:
            findings.add(
                wheel_rules.METADATA_SIZE.problem(
                    "The file is too big.",
                    path=member.name,
                    expected=f"at most {limit} bytes",
                    got=f"{member.size} bytes",
                )
            )
            return None
        try:
            return b"".join(member_content(self._data, member))
        except InvalidExtension as error:
            findings.extend(error.problems)
            return None


def _bytes_of(path: Path) -> bytes:
    try:
        # Non-blocking, so that a pipe that has taken the file's place does not hang the reader.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InvalidExtension(
                    tree_rules.SPECIAL_FILE.problem("This is not a regular file.", path=path.name)
                )
            data = file.read(limits.WHEEL_BYTES + 1)
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise InvalidExtension(
            tree_rules.UNREADABLE.problem("The wheel can't be read.", path=path.name, got=reason)
        ) from error
    if len(data) > limits.WHEEL_BYTES:
        raise InvalidExtension(
            rules.SIZE.problem(
                "The wheel is too big.",
                path=path.name,
                expected=f"at most {limits.WHEEL_BYTES} bytes",
            )
        )
    return data
