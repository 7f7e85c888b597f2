"""The tree digest: one hash over the sorted paths and contents of a package's files.

``sha256`` runs over, for each file in the order of its path's UTF-8 bytes: the path, then the
content, each preceded by its length as 8 bytes, big-endian. Neither modes nor times count, so that
the same files give the same digest on every machine.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TreeHash", "tree_digest"]


class TreeHash:
    """A tree digest in the making; files must come in the order of their paths.

    ``state`` can be copied between files, which lets a later reader of one file verify it without
    a second hash having been made of every file.
    """

    __slots__ = ("_hash", "_last")

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._last = b""

    def copy(self) -> TreeHash:
        """Return an independent digest over the same files so far."""
        other = TreeHash()
        other._hash = self._hash.copy()
        other._last = self._last
        return other

    def begin(self, path: str, size: int) -> None:
        """Start the file at ``path``, whose content will be ``size`` bytes.

        Raises:
            ValueError: The path does not come after the one before it.
        """
        name = path.encode("utf-8")
        if name <= self._last:
            raise ValueError(f"paths must be sorted and distinct, and {path!r} is not")
        self._last = name
        self._hash.update(len(name).to_bytes(8, "big") + name + size.to_bytes(8, "big"))

    def update(self, chunk: bytes) -> None:
        """Add a part of the content of the file that was begun last."""
        self._hash.update(chunk)

    def hexdigest(self) -> str:
        """Return the digest so far as ``sha256:`` and 64 hexadecimal digits."""
        return f"sha256:{self._hash.hexdigest()}"


def tree_digest(entries: Iterable[tuple[str, Iterable[bytes], int]]) -> str:
    """Return the tree digest of files.

    Args:
        entries: Path with ``/`` between components, content in chunks, and size in bytes of each
            file, in any order. Contents are consumed one file after the other, in path order.

    Returns:
        ``sha256:`` and 64 hexadecimal digits.

    Raises:
        ValueError: Two entries have one path, or a content is not as long as its size.
    """
    tree = TreeHash()
    for path, chunks, size in sorted(entries, key=lambda entry: entry[0].encode("utf-8")):
        tree.begin(path, size)
        seen = 0
        for chunk in chunks:
            seen += len(chunk)
            tree.update(chunk)
        if seen != size:
            raise ValueError(f"{path!r} has {seen} bytes, not the {size} that were announced")
    return tree.hexdigest()
