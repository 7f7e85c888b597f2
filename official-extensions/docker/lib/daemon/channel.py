"""An attached stream over a socket, ended for certain, and never kept open by a forked child."""

import contextlib
import os
import select
import socket
import ssl
import threading
import weakref
from typing import Any

from .port import DaemonFault, Fault

_READ_BYTES = 256 * 1024
# A stream over TLS says it in words of its own that nothing can be read or written now.
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_LIVE: "weakref.WeakSet[SocketChannel]" = weakref.WeakSet()


class SocketChannel:
    """One stream; *holder* is what of the SDK must be kept with it, and be closed after it."""

    def __init__(self, sock: socket.socket, holder: Any = None) -> None:
        self._socket = sock
        self._holder = holder
        self._closed = threading.Event()
        _LIVE.add(self)

    def send(self, data: bytes, timeout: float) -> None:
        """Write all of *data*; DaemonFault if it cannot be written in time."""
        try:
            self._socket.settimeout(max(timeout, 0.001))
            self._socket.sendall(data)
        except TimeoutError:
            raise DaemonFault(Fault.TIMEOUT) from None
        except OSError:
            raise DaemonFault(Fault.UNREACHABLE) from None

    def receive(self, timeout: float) -> bytes | None:
        """Return some bytes, ``b""`` at the end, None when nothing came in time (0: nothing waits)."""
        try:
            self._socket.settimeout(max(timeout, 0.0))
            return self._socket.recv(_READ_BYTES)
        except (TimeoutError, *_NOT_NOW):
            return None
        except OSError:
            # A stream that breaks is over; why the container ended is asked of the daemon.
            return b""

    def exchange(self, data: memoryview, timeout: float) -> tuple[int, bytes | None]:
        """Wait until some of *data* can be written or something can be read, and do what can be done.

        Returns:
            How many bytes were written, and what :meth:`receive` returns.
        """
        try:
            poller = select.poll()
            poller.register(self._socket, select.POLLIN | select.POLLOUT)
            events = poller.poll(max(timeout, 0.0) * 1000)
            ready = events[0][1] if events else 0
            self._socket.settimeout(0.0)
            sent = self._socket.send(data) if ready & select.POLLOUT else 0
        except _NOT_NOW:
            sent = 0
        except (OSError, ValueError):
            # Broken, or closed by another thread: it is over.
            return 0, b""
        return sent, self.receive(0.0) if ready & ~select.POLLOUT else None

    def close(self) -> None:
        """Shut the stream down and close it: the SDK's own references would keep it open."""
        if self._closed.is_set():
            return
        self._closed.set()
        _LIVE.discard(self)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            if self._holder is not None:
                self._holder.close()
        with contextlib.suppress(OSError):
            self._socket.close()
        self._holder = None

    def forget(self) -> None:
        """Close this process's copy of the descriptor without ending the stream for the parent."""
        with contextlib.suppress(OSError):
            # Detached: the socket object must not close a number that is somebody else's by then.
            os.close(self._socket.detach())


def _forget_all() -> None:
    # A forked child that kept these would keep containers alive whose host process is gone.
    for channel in list(_LIVE):
        channel.forget()
    _LIVE.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
