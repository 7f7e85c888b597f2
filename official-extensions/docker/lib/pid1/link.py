"""PID 1's end of the attached stream: exact reads, and writes that never block.

A blocking write here would defeat the deadline when the host does not read.
"""

from __future__ import annotations

import os
import select

from . import wire

QUEUE_BYTES = 1 << 20
"""Output held for a slow host before reading from the program stops, in bytes."""


class Link:
    """Reads frames of the host from *source* and queues frames to it on *sink*."""

    def __init__(self, source: int = 0, sink: int = 1) -> None:
        self.source = source
        self.sink = sink
        self._queue = bytearray()
        self._ahead = bytearray()
        os.set_blocking(sink, False)

    @property
    def ahead(self) -> bool:
        """Whether a part of the host's next frame was read already."""
        return bool(self._ahead)

    @property
    def waiting(self) -> bool:
        """Whether output waits for the host."""
        return bool(self._queue)

    @property
    def full(self) -> bool:
        """Whether so much output waits that no more should be read from the program."""
        return len(self._queue) >= QUEUE_BYTES

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Queue one frame and write what the host takes now."""
        self._queue += wire.HEADER.pack(kind, len(payload))
        self._queue += payload
        self.flush()

    def flush(self) -> None:
        """Write what the host takes now."""
        while self._queue:
            try:
                with memoryview(self._queue) as view:
                    count = os.write(self.sink, view[:QUEUE_BYTES])
            except BlockingIOError:
                return
            del self._queue[:count]

    def drain(self, seconds: float) -> None:
        """Write everything; end with the host when it is gone or takes nothing for *seconds*."""
        poller = select.poll()
        poller.register(self.sink, select.POLLOUT)
        while self._queue:
            if not poller.poll(seconds * 1000):
                os._exit(0)
            try:
                self.flush()
            except BrokenPipeError:
                os._exit(0)

    def read(self, count: int) -> bytes:
        """Return exactly *count* bytes of the host; PID 1 ends with the host."""
        parts = self._ahead[:count]
        del self._ahead[:count]
        while len(parts) < count:
            part = os.read(self.source, min(count - len(parts), 1 << 20))
            if not part:
                os._exit(0)
            parts += part
        return bytes(parts)

    def listen(self) -> None:
        """Read once, without waiting for more, what the host has said; PID 1 ends with the host."""
        part = os.read(self.source, 1 << 16)
        if not part:
            os._exit(0)
        self._ahead += part

    def heard(self, most: int) -> tuple[bytes, bytes] | None:
        """Return the next frame of what was read, None if it is not whole yet; never waits."""
        head = wire.HEADER.size
        if len(self._ahead) < head:
            return None
        kind, size = wire.HEADER.unpack_from(self._ahead)
        if size > most:
            raise ValueError("a frame of {} bytes, over {}".format(size, most))
        if len(self._ahead) < head + size:
            return None
        return kind, self.frame(most)[1]

    def frame(self, most: int) -> tuple[bytes, bytes]:
        """Return the host's next frame as (kind, payload); a payload over *most* bytes is a ValueError."""
        kind, size = wire.HEADER.unpack(self.read(wire.HEADER.size))
        if size > most:
            raise ValueError("a frame of {} bytes, over {}".format(size, most))
        return kind, self.read(size)
