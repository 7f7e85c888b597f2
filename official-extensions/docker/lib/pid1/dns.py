"""Answer every question that Docker's resolver cannot: there is no such name.

On an internal network the resolver passes unknown names on to the server configured for the container
and waits for it: 10 s by default. This one answers at once.
"""

from __future__ import annotations

import _socket

_NXDOMAIN = b"\x81\x83"
_PACKET_BYTES = 512


class Resolver:
    """The answering end: a socket that is bound, and never waited for."""

    def __init__(self, server: _socket.socket) -> None:
        self._server = server

    def fileno(self) -> int:
        """Return the descriptor to watch."""
        return self._server.fileno()

    def answer(self) -> None:
        """Answer one waiting question; what is no question is dropped."""
        try:
            question, address = self._server.recvfrom(_PACKET_BYTES)
            reply = refusal(question)
            if reply is not None:
                self._server.sendto(reply, address)
        except OSError:
            # A program may send anything here, from an address that is gone by now: not PID 1's trouble.
            return


def listen() -> Resolver | None:
    """Return a resolver at 127.0.0.1:53, or None where that is not allowed."""
    server = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    server.setblocking(False)
    try:
        server.bind(("127.0.0.1", 53))
    except OSError:
        server.close()
        return None
    return Resolver(server)


def refusal(question: bytes) -> bytes | None:
    """Return the answer NXDOMAIN to one question, or None if it is none."""
    end = 12
    while end < len(question) and question[end]:
        end += question[end] + 1
    end += 5
    if len(question) < end or question[2] & 0x80:
        return None
    counts = b"\0\1" + bytes(6)
    return question[:2] + _NXDOMAIN + counts + question[12:end]
