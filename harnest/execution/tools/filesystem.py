"""The port between the tools and the files that they work on, wherever those are.

Both implementations answer alike: the same bytes, the same order, the same built-in exceptions with
the same texts. What a tool says is made above this port.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harnest.execution.tools import limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest.execution.tools.place import Place

__all__ = ["Entry", "FileSystem", "Kind", "Listing", "Search", "Writing"]


class Kind(enum.StrEnum):
    """What an entry of a folder is; links are not followed."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    SPECIAL = "special"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry that was found.

    Attributes:
        path: Relative to where the search began, names separated by slashes.
        kind: What it is.
        size: Bytes of a file; 0 for everything else.
    """

    path: bytes
    kind: Kind
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Entries that were found.

    Attributes:
        entries: Sorted by the bytes of their paths.
        complete: Whether everything was looked at: False beyond the bounds of one walk.
        readable: Whether every folder could be read; those that could not are left out.
        deep: Whether there is more below the deepest level of a bounded search.
    """

    entries: tuple[Entry, ...]
    complete: bool = True
    readable: bool = True
    deep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a walk should find; a file system may find more than what it asks for.

    Attributes:
        depth: Most levels below the start, at least 1.
        hidden: Whether to look at names that begin with a dot, and into such folders.
        names: Patterns one of which the last name has to match, ``*`` standing for anything and
            a backslash for the next character itself; empty for all.
        literals: Texts one of which a file has to hold; empty for all.
        largest: Size in bytes above which files are found whatever they hold.
        ignore_case: Whether ASCII letters of ``literals`` match in either case.
        files: Whether only regular files count.
        bounded: Whether what is deeper than ``depth`` would count too, and has to be told of.
    """

    depth: int
    hidden: bool
    names: tuple[bytes, ...] = ()
    literals: tuple[bytes, ...] = ()
    largest: int = limits.WRITE_BYTES
    ignore_case: bool = False
    files: bool = False
    bounded: bool = False


class Writing(enum.Enum):
    """What may be at a place that is written."""

    CREATE = "create"
    """Nothing: an existing entry stays as it is."""
    REPLACE = "replace"
    """A file, whose content has the digest that the writer read."""
    EITHER = "either"
    """Nothing, or a file, which is replaced."""


class FileSystem(Protocol):
    """Operations on the files of one backend.

    Each raises the exceptions of :class:`~harnest.execution.tools.faults.Fault`, and those of the
    backend itself.
    """

    async def read(self, place: Place, most: int) -> bytes:
        """Return the content of a regular file.

        Args:
            place: The file.
            most: Largest size taken, in bytes.

        Raises:
            UnreadableContentError: It is larger.
            OSError: It can't be read.
        """
        ...

    async def read_many(self, places: Sequence[Place], most: int) -> list[bytes | None]:
        """Return the content of several files; None for each that can't be read, or is larger.

        Args:
            places: The files.
            most: Largest size of each, in bytes.
        """
        ...

    async def write(
        self, place: Place, content: bytes, rule: Writing, expected: str | None = None
    ) -> bool:
        """Put a file with this content in place at once, making missing folders on the way.

        A replaced file keeps its permissions. Nobody ever sees half of the content.

        Args:
            place: Where.
            content: All of it.
            rule: What may be there before.
            expected: With ``REPLACE``, the SHA-256 of the content that was read, in hexadecimal.

        Returns:
            Whether the file is new.

        Raises:
            FileChangedError: The content there is not the expected one; nothing was written.
            OSError: It can't be written.
        """
        ...

    async def remove(self, place: Place, *, recursive: bool) -> Entry:
        """Remove a file, a link, or a folder.

        Args:
            place: What; never the work directory.
            recursive: Whether a folder may hold something.

        Returns:
            What it was.

        Raises:
            OSError: It can't be removed.
        """
        ...

    async def list(self, place: Place) -> Listing:
        """Return the entries of a folder.

        Args:
            place: The folder.

        Raises:
            OSError: It is none, or can't be read.
        """
        ...

    async def walk(self, place: Place, search: Search) -> Listing:
        """Return entries below a folder; links are never followed on the way.

        Args:
            place: The folder to start in, which is no entry itself.
            search: What to find.

        Raises:
            OSError: It is none, or can't be read.
        """
        ...
