"""Folders read through descriptors: no link is followed, nothing special is ever opened.

Every path is opened one component at a time below an open folder, so that nobody can move
something else into the way between looking and reading.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package.rules import tree as rules
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harnest_ext.problem import Problem

__all__ = ["FolderReader", "Found", "Stamp", "open_folder", "read_file", "walk"]

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_TYPES = (
    (stat.S_ISREG, EntryType.FILE),
    (stat.S_ISDIR, EntryType.FOLDER),
    (stat.S_ISLNK, EntryType.LINK),
    (stat.S_ISFIFO, EntryType.PIPE),
    (stat.S_ISSOCK, EntryType.SOCKET),
    (stat.S_ISBLK, EntryType.DEVICE),
    (stat.S_ISCHR, EntryType.DEVICE),
)


class Stamp(NamedTuple):
    """What tells whether a file is still the one that was looked at."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Return the stamp of a file's status."""
        return cls(
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One entry as the walk met it; ``error`` is set if it could not be looked at or into."""

    path: str
    type: EntryType
    mode: int = 0
    stamp: Stamp | None = None
    error: str = ""


@contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """Yield a descriptor of the folder at ``path``; a link at ``path`` itself is followed.

    Raises:
        OSError: It can't be opened or is not a folder.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def walk(
    root: int, enter: Callable[[str, str], bool], *, levels: int = limits.PATH_DEPTH
) -> Iterator[Found]:
    """Yield everything below a folder, a folder before its content, names in byte order.

    Args:
        root: Descriptor of the folder.
        enter: Whether to report and enter a folder, given its path and name. A folder that it
            declines is passed over as if it were not there.
        levels: How many folders to enter one in the other; 0 for what is directly in ``root``.
    """
    yield from _walk(root, "", levels, enter)


def _walk(
    folder: int, prefix: str, levels: int, enter: Callable[[str, str], bool]
) -> Iterator[Found]:
    try:
        with os.scandir(folder) as listing:
            names = sorted(listing, key=lambda item: os.fsencode(item.name))
    except OSError as error:
        yield Found(path=prefix, type=EntryType.FOLDER, error=error.strerror or "unreadable")
        return
    for item in names:
        found = _look(item, prefix + item.name)
        if found.type is not EntryType.FOLDER or found.error:
            yield found
        elif enter(found.path, item.name):
            yield found
            if levels:
                yield from _descend(folder, item.name, found, levels - 1, enter)


def _descend(
    parent: int, name: str, found: Found, levels: int, enter: Callable[[str, str], bool]
) -> Iterator[Found]:
    try:
        child = os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    except OSError as error:
        reason = error.strerror or "unreadable"
        yield Found(path=found.path, type=EntryType.FOLDER, error=reason)
        return
    try:
        yield from _walk(child, f"{found.path}/", levels, enter)
    finally:
        os.close(child)


def _look(item: os.DirEntry[str], path: str) -> Found:
    try:
        status = item.stat(follow_symlinks=False)
    except OSError as error:
        return Found(path=path, type=EntryType.OTHER, error=error.strerror or "unreadable")
    kind = next((kind for test, kind in _TYPES if test(status.st_mode)), EntryType.OTHER)
    mode = stat.S_IMODE(status.st_mode)
    return Found(path=path, type=kind, mode=mode, stamp=Stamp.of(status))


class FolderReader:
    """Reads files below an open folder; the folder of the last file stays open for the next.

    Args:
        root: Descriptor of the folder; stays the caller's.
    """

    __slots__ = ("_parent", "_path", "_root")

    def __init__(self, root: int) -> None:
        self._root = root
        self._path = ""
        self._parent = root

    def close(self) -> None:
        """Give back what is open."""
        if self._parent != self._root:
            os.close(self._parent)
        self._path, self._parent = "", self._root

    def read(self, path: str, stamp: Stamp | None) -> Iterator[bytes]:
        """Yield the content of a regular file, in bounded chunks.

        Args:
            path: Path below the folder; no component may be a link.
            stamp: What the file was when it was looked at; the content is refused if it is not
                that file any more, before or after reading. None takes it as it is.

        Raises:
            InvalidExtension: rules ``tree.unreadable``, ``tree.changed``, ``tree.special-file``.
        """
        folder, _, name = path.rpartition("/")
        try:
            if folder != self._path:
                self.close()
                self._parent, self._path = _open_below(self._root, folder), folder
            descriptor = os.open(name, _FILE_FLAGS, dir_fd=self._parent)
        except OSError as error:
            reason = error.strerror or "unreadable"
            raise InvalidExtension(
                rules.UNREADABLE.problem("A file can't be opened.", path=path, got=reason)
            ) from error
        try:
            yield from _content(descriptor, path, stamp)
        finally:
            os.close(descriptor)


def read_file(root: int, path: str, stamp: Stamp | None) -> Iterator[bytes]:
    """Yield the content of one regular file below a folder; see :meth:`FolderReader.read`."""
    reader = FolderReader(root)
    try:
        yield from reader.read(path, stamp)
    finally:
        reader.close()


def _content(descriptor: int, path: str, stamp: Stamp | None) -> Iterator[bytes]:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise InvalidExtension(rules.SPECIAL_FILE.problem("This is not a regular file.", path=path))
    before = Stamp.of(status)
    _same(path, stamp or before, before)
    yield from _chunks(descriptor, path, before.size)
    _same(path, before, Stamp.of(os.fstat(descriptor)))


def _open_below(root: int, path: str) -> int:
    """Return a descriptor of a folder, opened one component at a time."""
    current = root
    try:
        for folder in path.split("/") if path else ():
            below = os.open(folder, _FOLDER_FLAGS, dir_fd=current)
            if current != root:
                os.close(current)
            current = below
    except OSError:
        if current != root:
            os.close(current)
        raise
    return current


def _chunks(descriptor: int, path: str, size: int) -> Iterator[bytes]:
    left = size
    while left:
        try:
            chunk = os.read(descriptor, min(left, limits.READ_BYTES))
        except OSError as error:
            reason = error.strerror or "unreadable"
            raise InvalidExtension(
                rules.UNREADABLE.problem("A file can't be read.", path=path, got=reason)
            ) from error
        if not chunk:
            raise InvalidExtension(_changed(path))
        left -= len(chunk)
        yield chunk


def _same(path: str, expected: Stamp, actual: Stamp) -> None:
    if expected != actual:
        raise InvalidExtension(_changed(path))


def _changed(path: str) -> Problem:
    return rules.CHANGED.problem("A file changed while it was being read.", path=path)
