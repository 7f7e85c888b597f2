"""What a writing command prepares beside the copies, complete and synced before anything moves."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from harnest_ext.errors import InvalidExtension
from harnest_ext.package.digest import TreeHash
from harnest_ext.store import layout, rules
from harnest_ext.store.filesystem import FILE_MODE, PROGRAM_MODE
from harnest_ext.store.folder import split
from harnest_ext.store.newfile import UnsyncedFiles
from harnest_ext.store.stamps import CopyStamps, Stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnest_ext.identity import Slug
    from harnest_ext.store.folder import Folder

__all__ = ["IGNORE_EVERYTHING", "CopiedFile", "next_number", "stage_copy", "stage_file"]

IGNORE_EVERYTHING = b"# Local state of `harnest extensions`.\n*\n"
"""Content of the `.gitignore` in the folder of local state."""


class CopiedFile(NamedTuple):
    """One file of a copy before it is written.

    Attributes:
        path: Its path below the copy.
        size: Bytes of its content.
        chunks: Its content.
        executable: Whether its owner may run it: all that is kept of the source's mode.
    """

    path: str
    size: int
    chunks: Iterable[bytes]
    executable: bool = False


def next_number(root: Folder) -> str:
    """Return a number larger than that of all staging folders and backups that are there."""
    last = 0
    for path in (layout.STAGING_PATH, layout.PREVIOUS_PATH):
        if root.exists(path):
            with root.at(path) as folder:
                last = max([last, *(int(name) for name in folder.names() if name.isdecimal())])
    return f"{last + 1:06d}"


def stage_copy(folder: Folder, name: Slug, files: Iterable[CopiedFile], digest: str) -> CopyStamps:
    """Write the files of a copy below ``folder`` and bring them to stable storage.

    Args:
        folder: New, empty folder.
        name: Extension that it is a copy of, for messages.
        files: Its files, sorted by path.
        digest: Tree digest that the copy must have.

    Raises:
        InvalidExtension: kind ``hash-mismatch``: the source is no longer what was checked.
        StoreError: kind ``io-error``.
    """
    tree = TreeHash()
    stamps: dict[str, Stamp] = {}
    with UnsyncedFiles() as unsynced:
        for here, entry in _in_folders(folder, files):
            tree.begin(entry.path, entry.size)
            content = _Watched(entry.chunks, tree)
            mode = PROGRAM_MODE if entry.executable else FILE_MODE
            file = here.write(split(entry.path)[1], content, mode=mode)
            found = file.stat()
            unsynced.add(file)
            stamps[entry.path] = (found.st_size, found.st_mtime_ns, found.st_ino, content.checksum)
        if tree.hexdigest() != digest:
            raise _changed(name, digest, tree.hexdigest())
        unsynced.sync()
    _sync_folders(folder, stamps)
    return CopyStamps(digest=digest, files=stamps)


def stage_file(root: Folder, path: str, data: bytes, *, mode: int | None = None) -> None:
    """Write a new file at ``path`` and bring it and its folder to stable storage.

    Args:
        root: The project.
        path: Where; folders that are missing are made.
        data: Its content.
        mode: Its mode; None for the usual one.

    Raises:
        StoreError: kind ``io-error``.
    """
    head, name = split(path)
    with root.at(head, make=True) as folder:
        with folder.write(name, [data] if data else [], mode=mode) as file:
            file.sync()
        folder.sync()


class _Watched:
    """The content of a file on its way to disk, seen by the tree digest and a checksum."""

    def __init__(self, chunks: Iterable[bytes], tree: TreeHash) -> None:
        self._chunks = chunks
        self._tree = tree
        self.checksum = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._tree.update(chunk)
            self.checksum = zlib.crc32(chunk, self.checksum)
            yield chunk


def _in_folders(folder: Folder, files: Iterable[CopiedFile]) -> Iterator[tuple[Folder, CopiedFile]]:
    """Yield each file with its open folder; neighbours in one folder open it once."""
    head, here = "", folder
    try:
        for entry in files:
            new = split(entry.path)[0]
            if new != head:
                _close(here, folder)
                head, here = "", folder
                if new:
                    here = folder.at(new, make=True)
                    head = new
            yield here, entry
    finally:
        _close(here, folder)


def _close(here: Folder, root: Folder) -> None:
    if here is not root:
        here.__exit__()


def _sync_folders(folder: Folder, paths: Iterable[str]) -> None:
    """Sync every folder of a copy, the inner ones first."""
    heads = {""}
    for path in paths:
        head = split(path)[0]
        while head not in heads:
            heads.add(head)
            head = split(head)[0]
    for head in sorted(heads - {""}, reverse=True):
        with folder.at(head) as inner:
            inner.sync()
    folder.sync()


def _changed(name: Slug, expected: str, got: str) -> InvalidExtension:
    return InvalidExtension(
        rules.SOURCE_CHANGED.problem(
            f"The source of '{name}' changed while it was copied.",
            path=name,
            expected=expected,
            got=got,
        ),
        unchanged="The project was not changed.",
    )
