"""A package's files as a tree, whatever holds them: the port that all inspection stands on."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Entry", "EntryType", "Tree"]


class EntryType(enum.Enum):
    """What an entry of a tree is; anything but a file or folder is refused by name."""

    FILE = "regular file"
    FOLDER = "folder"
    LINK = "symbolic link"
    PIPE = "named pipe"
    SOCKET = "socket"
    DEVICE = "device"
    OTHER = "file of unknown type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file or folder of a tree.

    Attributes:
        path: Path below the package's root, ``/`` between components.
        type: What it is.
        size: Bytes of a file's content; 0 for anything else.
        mode: Permission bits with setuid, setgid and sticky.
        source: Path by which its holder knows it, where that differs; used in messages.
    """

    path: str
    type: EntryType
    size: int = 0
    mode: int = 0o644
    source: str = ""

    @property
    def shown(self) -> str:
        """The path by which the author knows the entry."""
        return self.source or self.path

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return self.type is EntryType.FILE


class Tree(Protocol):
    """Where the entries of a package come from and how their content is read."""

    @property
    def entries(self) -> Sequence[Entry]:
        """Everything of the package that is looked at, in any order."""

    @property
    def searched(self) -> bool:
        """Whether the package was also looked for one level down."""

    def read(self, entry: Entry) -> Iterator[bytes]:
        """Yield the content of a file in chunks of at most ``limits.READ_BYTES``.

        Raises:
            InvalidExtension: The content can't be read, or is not what was announced.
        """
