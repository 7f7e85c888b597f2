"""A deadline for everything that goes over the network, the slowest server included.

Time-outs of sockets bound the wait for the next byte only. Here a timer shuts the sockets down when
the time for the whole answer is over, which wakes whoever reads from them.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Watch"]


class Watch:
    """Knows the sockets of one client, and shuts them down at a deadline."""

    def __init__(self) -> None:
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._block: object = None
        self._over = False

    def add(self, connected: socket.socket) -> None:
        """Take note of a socket that has just been connected."""
        with self._lock:
            self._sockets.add(connected)
            over = self._over
        if over:
            _shut_down(connected)

    @property
    def over(self) -> bool:
        """Whether the deadline of the current block has passed."""
        return self._over

    @contextlib.contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Give the block this long; afterwards every read and write in it fails at once."""
        block = object()
        with self._lock:
            self._block, self._over = block, False
        timer = threading.Timer(seconds, self._end, [block])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            self._block = None
            timer.cancel()

    def _end(self, block: object) -> None:
        with self._lock:
            # A timer that runs off at the very end of its block must not end the next one.
            if self._block is block:
                self._over = True
                for connected in list(self._sockets):
                    _shut_down(connected)


def _shut_down(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may be closed already
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
