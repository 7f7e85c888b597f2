"""Reading, writing and removing one file of this host; blocking."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from typing import TYPE_CHECKING

from harnest.execution.tools.faults import Fault, too_large
from harnest.execution.tools.filesystem import Entry, Writing
from harnest.execution.tools.host_path import faults_of, folder_of, real_place
from harnest.execution.tools.host_removal import remove_tree
from harnest.execution.tools.records import entry_of

if TYPE_CHECKING:
    from harnest.execution.tools.place import Place

__all__ = ["read_file", "remove_entry", "write_file"]

# Without O_NONBLOCK a pipe that takes a file's place would hold the thread for ever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def read_file(place: Place, most: int) -> bytes:
    """Return a file's content; see :meth:`FileSystem.read`."""
    place = real_place(place, follow=True)
    with folder_of(place) as folder, faults_of(place):
        _regular(os.lstat(place.last, dir_fd=folder), place)
        return _content(folder, place, most)


def write_file(place: Place, content: bytes, rule: Writing, expected: str | None) -> bool:
    """Put a file in place; see :meth:`FileSystem.write`."""
    if place.folder:
        raise Fault.FOLDER_NAME.error(place.shown)
    place = real_place(place, follow=True)
    with folder_of(place, create=True) as folder, faults_of(place):
        before = _before(folder, place, rule)
        temporary = b".harnest-%s.tmp" % secrets.token_hex(8).encode()
        try:
            _make(folder, temporary, content, before)
            if expected is not None and _digest(folder, place) != expected:
                raise Fault.CHANGED.error(place.shown)
            if rule is Writing.CREATE:
                os.link(
                    temporary,
                    place.last,
                    src_dir_fd=folder,
                    dst_dir_fd=folder,
                    follow_symlinks=False,
                )
            else:
                os.replace(temporary, place.last, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
    return before is None


def remove_entry(place: Place, *, recursive: bool) -> Entry:
    """Remove an entry; see :meth:`FileSystem.remove`."""
    if not place.parts:
        raise Fault.IS_BASE.error(place.shown)
    place = real_place(place, follow=False)
    with folder_of(place) as folder, faults_of(place):
        found = os.lstat(place.last, dir_fd=folder)
        if not stat.S_ISDIR(found.st_mode):
            if place.folder:
                raise Fault.NOT_DIRECTORY.error(place.shown)
            os.unlink(place.last, dir_fd=folder)
        elif recursive:
            remove_tree(folder, place.last)
        else:
            os.rmdir(place.last, dir_fd=folder)
    return entry_of(place.last, found.st_mode, found.st_size)


def _regular(found: os.stat_result, place: Place) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise Fault.IS_DIRECTORY.error(place.shown)
    if stat.S_ISLNK(found.st_mode):
        raise Fault.LINKS.error(place.shown)
    if place.folder:
        raise Fault.NOT_DIRECTORY.error(place.shown)
    if not stat.S_ISREG(found.st_mode):
        raise Fault.SPECIAL.error(place.shown)


def _content(folder: int, place: Place, most: int) -> bytes:
    with os.fdopen(os.open(place.last, _READ, dir_fd=folder), "rb") as file:
        found = os.fstat(file.fileno())
        _regular(found, place)
        content = file.read(most + 1)
    if len(content) > most:
        raise too_large(place.shown, max(found.st_size, len(content)), most)
    return content


def _before(folder: int, place: Place, rule: Writing) -> os.stat_result | None:
    try:
        found = os.lstat(place.last, dir_fd=folder)
    except FileNotFoundError:
        if rule is Writing.REPLACE:
            raise Fault.CHANGED.error(place.shown) from None
        return None
    _regular(found, place)
    if rule is Writing.CREATE:
        raise Fault.EXISTS.error(place.shown)
    if not os.access(place.last, os.W_OK, dir_fd=folder):
        raise Fault.DENIED.error(place.shown)
    return found


def _make(folder: int, name: bytes, content: bytes, before: os.stat_result | None) -> None:
    mode = 0o666 if before is None else 0o600
    with os.fdopen(os.open(name, _MAKE, mode, dir_fd=folder), "wb") as file:
        file.write(content)
        if os.geteuid() == 0:
            owner = before or os.fstat(folder)  # see where folders are made
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        if before is not None:
            os.fchmod(file.fileno(), before.st_mode & 0o777)


def _digest(folder: int, place: Place) -> str:
    try:
        descriptor = os.open(place.last, _READ, dir_fd=folder)
    except FileNotFoundError:
        raise Fault.CHANGED.error(place.shown) from None
    with os.fdopen(descriptor, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
