"""A path that a tool was given, as a way from the backend's work directory.

Every path goes through the backend's own ``resolve_path`` first. What is opened later is opened
from the work directory on, name by name.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest.execution.tools import limits
from harnest.execution.tools.faults import Fault
from harnest.execution.tools.names import read_name, show_name

if TYPE_CHECKING:
    from harnest.execution.backend import ExecutionBackend

__all__ = ["Place", "locate", "locate_itself"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is, or will be.

    Attributes:
        base: Absolute path of the work directory.
        parts: Names from there on; none for the work directory itself.
        given: The path in the words of whoever gave it, in its plainest form.
        folder: Whether it ended in a slash, which only the name of a folder does.
    """

    base: str
    parts: tuple[bytes, ...]
    given: bytes
    folder: bool = False

    @property
    def shown(self) -> str:
        """The path as a model reads it."""
        return show_name(self.given)

    @property
    def last(self) -> bytes:
        """The last name of the path, or one dot for the work directory."""
        return self.parts[-1] if self.parts else b"."

    def below(self, relative: bytes) -> Place:
        """Return the place of an entry that a listing of this folder named.

        Args:
            relative: Its path from here, without links on the way.
        """
        given = relative if self.given == b"." else posixpath.join(self.given, relative)
        return Place(base=self.base, parts=(*self.parts, *relative.split(b"/")), given=given)


def locate(backend: ExecutionBackend, path: str, *, write: bool = False) -> Place:
    """Return the place of what a path leads to, links followed.

    Args:
        backend: Whose path it is.
        path: What a model wrote.
        write: Whether it is going to be written.

    Raises:
        PermissionError: It is outside of the work directory, by itself or through a link.
        ValueError: It is no path.
        OSError: One of its names is too long.
    """
    text = read_name(path)
    return _place(backend, text, backend.resolve_path(text, write=write))


def locate_itself(backend: ExecutionBackend, path: str) -> Place:
    """Return the place of an entry that is going to be removed: a link itself, not its target.

    Args:
        backend: Whose path it is.
        path: What a model wrote.

    Raises:
        PermissionError: It is outside of the work directory.
        ValueError: It is no path.
        OSError: One of its names is too long.
    """
    text = read_name(path)
    folder, _, name = text.rstrip("/").rpartition("/")
    if name in {"", ".", ".."}:
        return _place(backend, text, backend.resolve_path(text, write=True))
    folder = folder or ("/" if text.startswith("/") else ".")
    # The work directory itself is inside, its parent is not.
    if _is_base(backend, text):
        return _place(backend, text, backend.resolve_path(".", write=True))
    found = backend.resolve_path(folder, write=True)
    return _place(backend, text, posixpath.join(found, name))


def _is_base(backend: ExecutionBackend, text: str) -> bool:
    return posixpath.normpath(text) == posixpath.normpath(backend.resolve_path("."))


def _place(backend: ExecutionBackend, text: str, absolute: str) -> Place:
    base = posixpath.normpath(backend.resolve_path("."))
    given = os.fsencode(posixpath.normpath(text))
    absolute = posixpath.normpath(absolute)
    inside = absolute == base or absolute.startswith(base.rstrip("/") + "/")
    if not inside:
        raise Fault.OUTSIDE.error(show_name(given))
    folder = text.endswith(("/", "/."))
    if folder and not given.endswith((b".", b"/")):
        given += b"/"
    relative = os.fsencode(absolute[len(base) :].strip("/"))
    parts = tuple(relative.split(b"/")) if relative else ()
    if len(relative) > limits.PATH_BYTES or any(len(part) > limits.NAME_BYTES for part in parts):
        raise Fault.NAME_TOO_LONG.error(show_name(given[:80]) + "...")
    return Place(base=base, parts=parts, given=given, folder=folder)
