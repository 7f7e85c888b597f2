"""Listing folders of this host; blocking."""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import os
import re
from typing import TYPE_CHECKING

from harnest.execution.tools import limits
from harnest.execution.tools.filesystem import Entry, Kind, Listing, Search
from harnest.execution.tools.host_path import faults_of, folder_at, real_place
from harnest.execution.tools.records import entry_of

if TYPE_CHECKING:
    from harnest.execution.tools.place import Place

__all__ = ["list_folder", "walk_folder"]

_LITERAL = re.compile(rb"\\(.)|[?\[]", re.DOTALL)
_ENTER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def list_folder(place: Place) -> Listing:
    """Return a folder's entries; see :meth:`FileSystem.list`."""
    return walk_folder(place, Search(depth=1, hidden=True))


def walk_folder(place: Place, search: Search) -> Listing:
    """Return entries below a folder; see :meth:`FileSystem.walk`."""
    walk = _Walk(search)
    place = real_place(place, follow=True)
    with folder_at(place) as folder, faults_of(place):
        walk.look(folder, b"", 1)
    found = sorted(walk.found, key=lambda entry: entry.path)
    return Listing(
        entries=tuple(found), complete=walk.complete, readable=walk.readable, deep=walk.deep
    )


class _Walk:
    """A walk in progress."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._names = _expression(search.names)
        self._left = limits.LOOKED_ENTRIES
        self.found: list[Entry] = []
        self.complete = True
        self.readable = True
        self.deep = False

    def look(self, folder: int, prefix: bytes, level: int) -> None:
        """Take in a folder's entries, and those below it."""
        for entry in self._entries(folder, prefix):
            self._take(entry)
            if entry.kind is not Kind.FOLDER or not self.complete:
                continue
            if level < self._search.depth:
                self._enter(folder, entry, level)
            elif self._search.bounded and not self.deep:
                self.deep = self._holds_something(folder, entry)

    def _take(self, entry: Entry) -> None:
        if self._search.files and entry.kind is not Kind.FILE:
            return
        if not self._names.fullmatch(entry.path.rpartition(b"/")[2]):
            return
        if len(self.found) < limits.WALK_ENTRIES:
            self.found.append(entry)
        else:
            self.complete = False

    def _enter(self, parent: int, entry: Entry, level: int) -> None:
        try:
            folder = os.open(entry.path.rpartition(b"/")[2], _ENTER, dir_fd=parent)
        except FileNotFoundError:
            return  # removed meanwhile
        except OSError:
            self.readable = False
            return
        try:
            self.look(folder, entry.path + b"/", level + 1)
        finally:
            os.close(folder)

    def _holds_something(self, parent: int, entry: Entry) -> bool:
        with contextlib.suppress(OSError):  # whoever can't look can't say that there is more
            folder = os.open(entry.path.rpartition(b"/")[2], _ENTER, dir_fd=parent)
            try:
                with os.scandir(folder) as items:
                    shown = (self._search.hidden or not i.name.startswith(".") for i in items)
                    return any(shown)
            finally:
                os.close(folder)
        return False

    def _entries(self, folder: int, prefix: bytes) -> list[Entry]:
        found: list[Entry] = []
        with os.scandir(folder) as entries:
            for item in entries:
                if item.name.startswith(".") and not self._search.hidden:
                    continue
                if not self._left:
                    self.complete = False
                    break
                self._left -= 1
                try:
                    state = item.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # removed meanwhile
                except PermissionError:
                    self.readable = False  # names are listed here that can't be looked up
                    continue
                path = prefix + os.fsencode(item.name)
                found.append(entry_of(path, state.st_mode, state.st_size))
        return found


def _expression(names: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """Return the expression of the last names that a search is for.

    The library's own translation of wildcards never goes back over what a star has passed: a model
    may ask for any number of them.
    """
    parts = [fnmatch.translate(_wildcards(name).decode("latin-1")) for name in names or (b"*",)]
    return re.compile("|".join(parts).encode("latin-1"))


def _wildcards(name: bytes) -> bytes:
    # Of a search's patterns only the star is special, and a backslash takes that from it.
    return _LITERAL.sub(lambda found: glob.escape(found[1] or found[0]), name)
