"""Take the daemon's multiplexed bytes apart into frames of PID 1, strictly.

Each layer accepts any split of its bytes and nothing that the other side never says: an unknown channel
or letter, a frame that is too large, an end in the middle of a frame.
"""

from collections.abc import Iterator
from typing import Final

from ..limits import DIAGNOSTIC_BYTES, FRAME_BYTES
from ..pid1 import wire

_HEADER: Final = 8
_STDOUT: Final = 1
_STDERR: Final = 2
_KINDS: Final = frozenset({wire.HELLO, wire.STDOUT, wire.STDERR, wire.FILE, wire.DATA, wire.EXIT})


class StreamError(Exception):
    """The bytes are not what PID 1 and the daemon say."""


class Demultiplexer:
    """The daemon's layer: a channel byte, three zeros, four bytes of length, a payload."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._left = 0
        self._channel = 0
        self.diagnostics = b""

    @property
    def whole(self) -> bool:
        """Whether an end here is an end between frames."""
        return not self._left and not self._buffer

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what *data* holds of standard output; standard error is kept for diagnosis, bounded."""
        self._buffer += data
        while self._buffer:
            if not self._left:
                if len(self._buffer) < _HEADER:
                    return
                self._open(bytes(self._buffer[:_HEADER]))
                del self._buffer[:_HEADER]
                continue
            part = bytes(self._buffer[: self._left])
            del self._buffer[: self._left]
            self._left -= len(part)
            if self._channel == _STDOUT:
                yield part
            else:
                self.diagnostics = (self.diagnostics + part)[:DIAGNOSTIC_BYTES]

    def _open(self, header: bytes) -> None:
        if header[0] not in (_STDOUT, _STDERR) or header[1:4] != b"\0\0\0":
            raise StreamError("unknown channel")
        self._channel = header[0]
        self._left = int.from_bytes(header[4:], "big")


class FrameParser:
    """PID 1's layer: a letter, four bytes of length, a payload."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def whole(self) -> bool:
        """Whether an end here is an end between frames."""
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the frames that *data* completes, as (kind, payload)."""
        self._buffer += data
        while len(self._buffer) >= wire.HEADER.size:
            kind, size = wire.HEADER.unpack_from(self._buffer)
            if kind not in _KINDS:
                raise StreamError("unknown frame")
            if size > FRAME_BYTES:
                raise StreamError("frame too large")
            end = wire.HEADER.size + size
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[wire.HEADER.size : end])
            del self._buffer[:end]
            yield kind, payload
