"""Opening folders of this host from a work directory on, so that no link leads out of it.

The path is looked up once, and then each name is opened from the folder before it without following
links: what is swapped for a link in between is refused, not followed.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

from harnest.execution.tools import limits
from harnest.execution.tools.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest.execution.tools.place import Place

__all__ = ["faults_of", "folder_at", "folder_of", "opened", "real_place"]

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
        OSError: A link on the way leads to what is not there, or in a circle.
    """
    base = os.path.realpath(os.fsencode(place.base))
    here = base
    for number, name in enumerate(place.parts, 1):
        here = posixpath.join(here, name)
        if follow or number < len(place.parts):
            here = _followed(here, base, place)
    relative = here[len(base) :].strip(b"/")
    parts = tuple(relative.split(b"/")) if relative else ()
    return replace(place, base=os.fsdecode(base), parts=parts)


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
            folder = opened(parent, place.last)
        try:
            yield folder
        finally:
            os.close(folder)


def opened(parent: int, name: bytes) -> int:
    """Return a folder opened to look at its entries: both listed and looked up.

    Args:
        parent: The folder that holds it, open.
        name: Its name there.

    Raises:
        OSError: It is no folder, or one of the two is not permitted.
    """
    folder = os.open(name, _LOOK, dir_fd=parent)
    try:
        os.stat(b".", dir_fd=folder)  # refused where names are listed that can't be looked up
    except BaseException:
        os.close(folder)
        raise
    return folder


def _followed(path: bytes, base: bytes, place: Place) -> bytes:
    """Return what a path leads to, whose folders hold no link; what is missing need not be there.

    As for the kernel, every folder in the target of a link has to be there.
    """
    for _ in range(limits.LINKS + 1):
        try:
            target = os.readlink(path)  # noqa: PTH115 - Path takes no bytes
        except OSError:
            return path  # no link, or nothing: whoever opens it will see which
        path = posixpath.join(posixpath.dirname(path), target)
        if os.path.isdir(path):  # noqa: PTH112 - the same
            return _inside(os.path.realpath(path), base, place)
        folder, _, name = path.rpartition(b"/")
        there = os.path.isdir(folder or b"/")  # noqa: PTH112 - the same
        if name in {b"", b".", b".."} or not there:
            away = target.startswith(b"/") and not _is_below(target, base)
            raise (Fault.OUTSIDE if away else Fault.MISSING).error(place.shown)
        folder = _inside(os.path.realpath(folder or b"/"), base, place)
        path = posixpath.join(folder, name)
    raise Fault.LINKS.error(place.shown)


def _is_below(path: bytes, base: bytes) -> bool:
    return path == base or path.startswith(base.rstrip(b"/") + b"/")


def _inside(path: bytes, base: bytes, place: Place) -> bytes:
    if not _is_below(path, base):
        raise Fault.OUTSIDE.error(place.shown)
    return path


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
