"""The tree digest: one hash over the sorted paths and contents of a package's files.

``sha256`` runs over, for each file in the order of its path's UTF-8 bytes: the path, then the
content, each preceded by its length as 8 bytes, big-endian. Neither modes nor times count, so that
the same files give the same digest on every machine.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package.disk import FolderReader, open_folder, walk
from harnest_ext.package.model import PackageFile
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from harnest_ext.package.disk import Found

__all__ = ["FolderDigest", "TreeHash", "digest_of_folder", "tree_digest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderDigest:
    """What an installed copy is made of.

    Attributes:
        digest: Tree digest of its files; empty if the copy is irregular.
        files: Its regular files, sorted by path.
        irregular: Paths of what no installation ever writes; empty for a regular copy.
    """

    digest: str
    files: tuple[PackageFile, ...] = ()
    irregular: tuple[str, ...] = ()


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


def digest_of_folder(path: Path) -> FolderDigest:
    """Return the tree digest of an installed copy, as it lies on the disk.

    Only folders named ``__pycache__`` are passed over. No link is followed and nothing but regular
    files is opened. What no installation ever writes - links, special files, empty folders,
    unreadable files, more than the limits of a package - makes the copy irregular: its digest is
    then empty and equals none.

    Args:
        path: Folder of the copy; may itself be reached through a link.

    Raises:
        OSError: The folder can't be opened.
    """
    with open_folder(path) as root, closing(FolderReader(root)) as reader:
        found = list(islice(walk(root, _not_cache), 2 * limits.PACKAGE_FILES))
        files = sorted(
            (item for item in found if item.type is EntryType.FILE and not item.error),
            key=lambda item: os.fsencode(item.path),
        )
        irregular = _irregular(found, files)
        facts = tuple(
            PackageFile(path=f.path, size=f.stamp.size, executable=bool(f.mode & 0o100))
            for f in files
            if f.stamp
        )
        if irregular:
            return FolderDigest(digest="", files=facts, irregular=irregular)
        try:
            contents = ((f.path, reader.read(f.path, f.stamp), _size(f)) for f in files)
            return FolderDigest(digest=tree_digest(contents), files=facts)
        except InvalidExtension as error:
            return FolderDigest(digest="", files=facts, irregular=(error.path,))


def _not_cache(_path: str, name: str) -> bool:
    return name != "__pycache__"


def _size(found: Found) -> int:
    return found.stamp.size if found.stamp else 0


def _irregular(found: list[Found], files: list[Found]) -> tuple[str, ...]:
    odd = {f.path for f in found if f.error or f.type not in {EntryType.FILE, EntryType.FOLDER}}
    odd |= {f.path for f in files if not _is_text(f.path)}
    parents = {folder for f in found if f.type is not EntryType.FOLDER for folder in _parents(f)}
    odd |= {f.path for f in found if f.type is EntryType.FOLDER and f.path not in parents}
    total = 0
    for number, file in enumerate(files, 1):
        total += _size(file)
        if number > limits.PACKAGE_FILES or total > limits.PACKAGE_BYTES:
            odd.add(file.path)
            break
    return tuple(sorted(odd))


def _parents(found: Found) -> Iterator[str]:
    path = found.path
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def _is_text(path: str) -> bool:
    return not any("\ud800" <= ch <= "\udfff" for ch in path)
