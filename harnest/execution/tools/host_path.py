"""Opening folders of this host from a work directory on, so that no link leads out of it.

The path is looked up once, and then each name is opened from the folder before it without following
links: what is swapped for a link in between is refused, not followed.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
from typing import TYPE_CHECKING

from harnest.execution.tools.faults import Fault
from harnest.execution.tools.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["faults_of", "folder_at", "folder_of", "real_place"]

_PASS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_LOOK = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_RDONLY


@contextlib.contextmanager
def faults_of(place: Place) -> Iterator[None]:
    """Give errors of the system the texts that they have for every file system.

    Args:
        place: What the operations inside are about.
    """
    try:
        yield
    except OSError as error:
        fault = Fault.of_error(error)
        # One that says something else than the system does is one of ours already.
        if fault is None or error.strerror != os.strerror(error.errno or 0):
            raise
        raise fault.error(place.shown) from error


def real_place(place: Place, *, follow: bool) -> Place:
    """Return a place without links in its path.

    Args:
        place: The place.
        follow: Whether the last name may be a link that is followed.

    Raises:
        PermissionError: It is outside of the work directory.
    """
    base = os.path.realpath(os.fsencode(place.base))
    head = place.parts if follow else place.parts[:-1]
    real = os.path.realpath(posixpath.join(base, *head))
    if real != base and not real.startswith(base.rstrip(b"/") + b"/"):
        raise Fault.OUTSIDE.error(place.shown)
    relative = real[len(base) :].strip(b"/")
    parts = tuple(relative.split(b"/")) if relative else ()
    tail = () if follow else place.parts[-1:]
    return Place(base=os.fsdecode(base), parts=parts + tail, given=place.given)


@contextlib.contextmanager
def folder_of(place: Place, *, create: bool = False) -> Iterator[int]:
    """Open the folder that holds the last name of a place without links.

    Args:
        place: From :func:`real_place`.
        create: Whether to make folders that are missing.

    Raises:
        OSError: It can't be opened.
    """
    with faults_of(place):
        folder = os.open(place.base, _PASS)
    try:
        for name in place.parts[:-1]:
            following = _step(folder, name, place, create=create)
            os.close(folder)
            folder = following
        yield folder
    finally:
        os.close(folder)


@contextlib.contextmanager
def folder_at(place: Place) -> Iterator[int]:
    """Open the folder that a place without links is, to look at its entries.

    Args:
        place: From :func:`real_place`.

    Raises:
        OSError: It is no folder, or can't be read.
    """
    with folder_of(place) as parent:
        with faults_of(place):
            folder = os.open(place.last, _LOOK, dir_fd=parent)
        try:
            yield folder
        finally:
            os.close(folder)


def _step(folder: int, name: bytes, place: Place, *, create: bool) -> int:
    if create:
        with contextlib.suppress(FileExistsError), faults_of(place):
            os.mkdir(name, dir_fd=folder)
            if os.geteuid() == 0:
                # What root makes belongs to whoever owns what is there: programs work with it.
                owner = os.fstat(folder)
                os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)
    try:
        return os.open(name, _PASS, dir_fd=folder)
    except OSError as error:
        if _is_link(folder, name):
            raise Fault.LINKS.error(place.shown) from error
        raise (Fault.of_error(error) or Fault.DENIED).error(place.shown) from error


def _is_link(folder: int, name: bytes) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)
    return False
