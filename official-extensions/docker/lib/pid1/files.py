"""Put input files into the working directory and take output files out of ``outputs/``.

Both run in a forked child, so that nothing a program left there can hold or harm PID 1. Directories are
opened one component at a time without following links.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time

from . import wire

TYPE_CHECKING = False  # importing typing would cost each start milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .link import Link

OUTPUTS = "outputs"
DEPTH = 16
"""Deepest directory below ``outputs/`` that is looked into."""
NAME_BYTES = 512
CHUNK = 1 << 16
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CLOCK_REALTIME_COARSE = 5
_LOOK_SECONDS = 0.0002
_TICKS_SECONDS = 0.1
"""Longer than two ticks of any kernel; the clock of the host was set back when they take longer."""


def later(settled: int) -> int:
    """Wait until files that change are stamped later than *settled*; return a time that none is before.

    *settled* is real time in nanoseconds. Kernels stamp with a clock that stands still between two
    ticks (1 to 10 ms) and lags by up to one, or with the exact time: of two calls within two ticks one
    could not tell whose file it is.
    """
    give_up = time.monotonic() + _TICKS_SECONDS
    while True:
        now = time.clock_gettime_ns(_CLOCK_REALTIME_COARSE)
        if now > settled or time.monotonic() > give_up:
            return now
        time.sleep(_LOOK_SECONDS)


def parts_of(name: str) -> list[str]:
    """Return the components of a plain relative path; anything else is a ValueError."""
    parts = name.split("/")
    if not name or len(name.encode()) > NAME_BYTES or "\0" in name or len(parts) > DEPTH:
        raise ValueError("name")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError("name")
    return parts


def receive(link: Link) -> int:
    """Read files from the host until one without a name, and write them below the working directory.

    Returns:
        0, or the number of the error for which a file could not be written: it and those after it are
        read all the same, so that the next frame is found.
    """
    failed = 0
    while True:
        size, length = wire.FILE_HEAD.unpack(link.read(wire.FILE_HEAD.size))
        if not length:
            return failed
        parts = parts_of(link.read(length).decode())
        content = _pieces(link, size)
        try:
            if not failed:
                _write(parts, content)
        except OSError as error:
            failed = error.errno or errno.EIO
        for _ in content:
            pass


def _pieces(link: Link, size: int) -> Iterator[bytes]:
    while size:
        piece = link.read(min(size, CHUNK))
        size -= len(piece)
        yield piece


def _write(parts: list[str], content: Iterator[bytes]) -> None:
    folder = _open_folder(parts[:-1])
    try:
        try:
            os.unlink(parts[-1], dir_fd=folder)
        except FileNotFoundError:
            pass
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(parts[-1], flags, 0o644, dir_fd=folder)
        for piece in content:
            left = piece
            while left:
                left = left[os.write(file, left) :]
        os.close(file)
    finally:
        os.close(folder)


def _open_folder(parts: list[str]) -> int:
    folder = os.open(".", _DIRECTORY)
    for part in parts:
        try:
            os.mkdir(part, 0o755, dir_fd=folder)
        except FileExistsError:
            pass
        inner = os.open(part, _DIRECTORY, dir_fd=folder)
        os.close(folder)
        folder = inner
    return folder


class Collector:
    """Sends what was written under ``outputs/`` since a time, within a number of files and bytes."""

    def __init__(self, sink: int, most_files: int, most_bytes: int, since: int) -> None:
        self._sink = sink
        self._since = since
        self._files = most_files
        self._bytes = most_bytes
        self.refused = 0
        self._poller = select.poll()
        self._poller.register(sink, select.POLLOUT)

    def collect(self) -> None:
        """Send every regular file, in the order of its name; count what is refused."""
        try:
            folder = os.open(OUTPUTS, _DIRECTORY)
        except FileNotFoundError:
            return
        except OSError:
            # A link or a file in its place.
            self.refused += 1
            return
        self._folder(folder, "", DEPTH)

    def _folder(self, folder: int, prefix: str, depth: int) -> None:
        for name in sorted(os.listdir(folder)):
            try:
                facts = os.lstat(name, dir_fd=folder)
                mode = facts.st_mode
                if facts.st_ctime_ns < self._since and not stat.S_ISDIR(mode):
                    # A program can change this time only to now: an earlier call left the file.
                    continue
                path = prefix + name
                parts_of(path)
                if stat.S_ISREG(mode):
                    self._file(name, path, folder)
                elif stat.S_ISDIR(mode) and depth > 1:
                    self._folder(os.open(name, _DIRECTORY, dir_fd=folder), path + "/", depth - 1)
                else:
                    self.refused += 1
            except (OSError, ValueError):
                self.refused += 1
        os.close(folder)

    def _file(self, name: str, path: str, folder: int) -> None:
        file = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
        try:
            size = os.fstat(file).st_size
            if self._files < 1 or size > self._bytes:
                raise ValueError("bounds")
            self._files -= 1
            self._bytes -= size
            encoded = path.encode()
            self._send(wire.FILE, wire.FILE_HEAD.pack(size, len(encoded)) + encoded)
            self._content(file, size)
        finally:
            os.close(file)

    def _content(self, file: int, size: int) -> None:
        while size:
            chunk = os.read(file, min(size, CHUNK))
            if not chunk:
                # Nothing else runs; a file that shrinks now means that the promise was wrong.
                os._exit(1)
            self._send(wire.DATA, chunk)
            size -= len(chunk)

    def _send(self, kind: bytes, payload: bytes) -> None:
        frame = memoryview(wire.pack(kind, payload))
        while frame:
            try:
                frame = frame[os.write(self._sink, frame) :]
            except BlockingIOError:
                self._poller.poll()
