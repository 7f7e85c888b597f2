"""Files as a stream of tar: made and read piece by piece, never as a whole in memory."""

from __future__ import annotations

import contextlib
import hashlib
import io
import tarfile
import tempfile
from typing import IO, TYPE_CHECKING

from harnest.execution import BackendError

from .. import limits
from .merge import Content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .local import LocalEntry, LocalTree

__all__ = ["Incoming", "packed", "pieces"]

_BLOCK = tarfile.BLOCKSIZE


def packed(
    tree: LocalTree, entries: Iterable[LocalEntry], sent: Callable[[str, Content], None]
) -> Iterator[bytes]:
    """Yield the tar of some entries: folders and regular files.

    Args:
        tree: Where they are.
        entries: They.
        sent: Told what of each file was sent.
    """
    for entry in entries:
        if entry.kind == "folder":
            yield _header(entry, tarfile.DIRTYPE, 0)
        elif entry.kind == "file":
            with contextlib.suppress(FileNotFoundError):  # deleted since it was listed
                yield from _file(tree, entry, sent)
    yield bytes(2 * _BLOCK)


def pieces(chunks: Iterable[bytes], size: int = limits.PIECE_BYTES) -> Iterator[bytes]:
    """Yield the same bytes in pieces of one size; the last may be smaller.

    Args:
        chunks: The bytes, in pieces of any size.
        size: Size of the pieces.
    """
    held = bytearray()
    for chunk in chunks:
        held += chunk
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


class Incoming(io.RawIOBase):
    """A tar that arrives in pieces, as the file that ``tarfile`` reads.

    Args:
        chunks: The pieces.
        most: Most bytes of all files together. What was listed may have grown meanwhile.
    """

    def __init__(self, chunks: Iterator[bytes], most: int) -> None:
        super().__init__()
        self._chunks = chunks
        self._held = b""
        self._left = most

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer with what came; 0 at the end."""
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not self._held:
            try:
                self._held = next(self._chunks)
            except StopIteration:
                return 0
        count = min(len(view), len(self._held))
        view[:count] = self._held[:count]
        self._held = self._held[count:]
        return count

    def files(self) -> Iterator[tuple[str, Content, IO[bytes]]]:
        """Yield path, content and bytes of each regular file; the bytes hold until the next one.

        Raises:
            BackendError: They are too large.
            tarfile.TarError: It is no tar, or is cut off.
        """
        reader = io.BufferedReader(self, limits.READ_BYTES)
        with tarfile.open(
            fileobj=reader, mode="r|", encoding="utf-8", errors="surrogateescape"
        ) as archive:
            for member in archive:
                source = archive.extractfile(member) if member.isreg() else None
                if source is None:
                    continue
                self._left -= member.size
                if self._left < 0:
                    raise BackendError("more bytes came than are taken at once")
                with tempfile.SpooledTemporaryFile(limits.MIB) as spool:
                    digest = _copied(source, spool)
                    content = Content(digest=digest, executable=bool(member.mode & 0o100))
                    yield member.name.removeprefix("./"), content, spool
            while reader.read(limits.READ_BYTES):
                pass  # to the sender's end: only there it says whether it failed


def _copied(source: IO[bytes], target: IO[bytes]) -> str:
    found = hashlib.sha256()
    while chunk := source.read(limits.READ_BYTES):
        found.update(chunk)
        target.write(chunk)
    return found.hexdigest()


def _file(
    tree: LocalTree, entry: LocalEntry, sent: Callable[[str, Content], None]
) -> Iterator[bytes]:
    found = hashlib.sha256()
    with tree.opened(entry.path) as file:
        yield _header(entry, tarfile.REGTYPE, entry.size)
        left = entry.size
        while left:
            # A file that shrinks meanwhile is filled up: the header has promised its size.
            chunk = file.read(min(left, limits.READ_BYTES)) or bytes(min(left, limits.READ_BYTES))
            left -= len(chunk)
            found.update(chunk)
            yield chunk
    yield bytes(-entry.size % _BLOCK)
    sent(entry.path, Content(digest=found.hexdigest(), executable=bool(entry.mode & 0o100)))


def _header(entry: LocalEntry, kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("./" + entry.path)
    info.type, info.size, info.mtime = kind, size, entry.modified
    # Never setuid or setgid; always so that the sandbox's own user can work with it.
    info.mode = entry.mode & 0o777 | (0o700 if kind == tarfile.DIRTYPE else 0o600)
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
