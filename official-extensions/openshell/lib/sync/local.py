"""A project's folder on the host: read and written below descriptors, following no link.

Paths are relative, with ``/`` between components; a byte of a name that is no UTF-8 is a surrogate,
as in :func:`os.fsdecode`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from .. import limits
from .merge import Content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["BESIDE", "LocalEntry", "LocalTree"]

BESIDE = ".sandbox"
"""What is added to the name of a file that is saved beside another."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "block device",
    stat.S_IFCHR: "character device",
    stat.S_IFDIR: "folder",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEntry:
    """One entry of a project.

    Attributes:
        path: Its path.
        kind: ``file``, ``folder``, or what else it is.
        size: Its bytes.
        mode: Its permissions.
        modified: When it was last written, in seconds.
    """

    path: str
    kind: str
    size: int
    mode: int
    modified: int


class LocalTree:
    """A folder of the host.

    Args:
        root: The folder: existing, absolute, without links.
        exclude: Names of entries that are left alone, wherever they are.
    """

    def __init__(self, root: Path, exclude: Sequence[str] = ()) -> None:
        self._root = root
        self._exclude = frozenset(exclude)

    def entries(self) -> Iterator[LocalEntry]:
        """Yield every entry, a folder before what is in it.

        Raises:
            ValueError: There are too many, or they are too large or too deep.
        """
        size = 0
        for seen, entry in enumerate(self._walk("", 0), 1):
            size += entry.size if entry.kind == "file" else 0
            if seen > limits.TREE_ENTRIES or size > limits.PROJECT_BYTES:
                raise ValueError(
                    f"the project has more than {limits.TREE_ENTRIES} entries or "
                    f"{limits.PROJECT_BYTES} bytes: leave something out with exclude"
                )
            yield entry

    def excludes(self, path: str) -> bool:
        """Return whether a path is left alone."""
        return not self._exclude.isdisjoint(path.split("/"))

    @contextlib.contextmanager
    def opened(self, path: str) -> Iterator[IO[bytes]]:
        """Open a regular file for reading.

        Raises:
            OSError: It is not there, is no regular file, or lies behind a link.
        """
        with self._folder(path) as (folder, name):
            file = os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb")
        with file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "no regular file")
            yield file

    def content(self, path: str) -> Content | str | None:
        """Return what a file holds; None if it is not there, what it is if it is no file."""
        try:
            with self._folder(path) as (folder, name):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISREG(found.st_mode):
                return _kind(found.st_mode)
            with self.opened(path) as file:
                return Content(digest=_digest(file), executable=bool(found.st_mode & 0o100))
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"behind something that is no folder ({errno.errorcode.get(error.errno or 0)})"

    def write(self, path: str, source: IO[bytes], *, executable: bool) -> None:
        """Write or replace a file in one step; folders are made as needed.

        Raises:
            OSError: It can't be.
        """
        with self._folder(path, make=True) as (folder, name):
            draft = f".harnest-{secrets.token_hex(8)}"
            try:
                with os.fdopen(os.open(draft, _NEW, 0o600, dir_fd=folder), "wb") as file:
                    source.seek(0)
                    while chunk := source.read(limits.READ_BYTES):
                        file.write(chunk)
                    mode = _mode_of(name, folder)
                    os.fchmod(file.fileno(), mode | 0o111 if executable else mode & ~0o111)
                os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=folder)
                raise

    def write_beside(self, path: str, source: IO[bytes], content: Content) -> str:
        """Write a file under the next free name beside one that stays; return its path.

        Args:
            path: The one that stays, or that can't be reached.
            source: What to write.
            content: What that is.

        Raises:
            OSError: It can't be written.
        """
        target = self._reachable(path)
        for number in range(1, limits.TREE_ENTRIES):
            name = target + BESIDE + (f".{number}" if number > 1 else "")
            if len(os.fsencode(name.rpartition("/")[2])) > limits.NAME_BYTES:
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
            found = self.content(name)
            if found is None:
                self.write(name, source, executable=content.executable)
            if found is None or found == content:
                return name
        raise OSError(errno.EEXIST, "no free name beside it")

    def delete(self, path: str) -> None:
        """Delete a file.

        Raises:
            OSError: It can't be.
        """
        with self._folder(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def make_folder(self, path: str) -> None:
        """Make a folder, unless something of its name is there.

        Raises:
            OSError: It can't be made.
        """
        with self._folder(path, make=True) as (folder, name), contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)

    def remove_folder(self, path: str) -> bool:
        """Remove a folder if it is one and is empty; return whether it is gone."""
        try:
            with self._folder(path) as (folder, name):
                os.rmdir(name, dir_fd=folder)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _walk(self, base: str, depth: int) -> Iterator[LocalEntry]:
        if depth > limits.TREE_DEPTH:
            raise ValueError(f"the project has more than {limits.TREE_DEPTH} levels of folders")
        with self._folder(f"{base}/x" if base else "x") as (folder, _):
            names = sorted(set(os.listdir(folder)) - self._exclude)  # noqa: PTH208 - of a descriptor
            for name in names:
                path = f"{base}/{name}" if base else name
                try:
                    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                except FileNotFoundError:
                    continue  # gone meanwhile
                yield LocalEntry(
                    path=path,
                    kind=_kind(found.st_mode),
                    size=found.st_size,
                    mode=stat.S_IMODE(found.st_mode),
                    modified=int(found.st_mtime),
                )
                if stat.S_ISDIR(found.st_mode):
                    yield from self._walk(path, depth + 1)

    def _reachable(self, path: str) -> str:
        """Return a path whose folders can be made: what stands in the way gets another name."""
        parts = path.split("/")
        for number in range(1, len(parts)):
            above = "/".join(parts[:number])
            found = self.content(above)
            if found is not None and found != "folder":
                parts[number - 1] += BESIDE
        return "/".join(parts)

    @contextlib.contextmanager
    def _folder(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder that an entry is in; give it with the entry's name."""
        *folders, name = path.split("/")
        if any(part in ("", ".", "..") for part in (*folders, name)):
            raise OSError(errno.EINVAL, "no plain relative path")
        current = os.open(self._root, _FOLDER)
        try:
            for part in folders:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=current)
                below = os.open(part, _FOLDER, dir_fd=current)
                os.close(current)
                current = below
            yield current, name
        finally:
            os.close(current)


def _kind(mode: int) -> str:
    return "file" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "special file")


def _digest(file: IO[bytes]) -> str:
    found = hashlib.sha256()
    while chunk := file.read(limits.READ_BYTES):
        found.update(chunk)
    return found.hexdigest()


def _mode_of(name: str, folder: int) -> int:
    """Return the permissions of a file that is replaced, or those of a new one."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return 0o644
    return found.st_mode & 0o777 if stat.S_ISREG(found.st_mode) else 0o644
