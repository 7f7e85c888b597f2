"""Watch a service's output for one text, and keep reading so that the service never waits for us."""

import threading
from typing import Final

from ..daemon.port import Channel

_POLL_SECONDS: Final = 0.5


class LogWatch:
    """Reads a service's stream in a thread of its own until the text was seen or the stream ends."""

    def __init__(self, channel: Channel, text: str) -> None:
        self._channel = channel
        self._text = text.encode()
        self._seen = threading.Event()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="harnest-docker-log", daemon=True).start()

    @property
    def seen(self) -> bool:
        """Whether the text was written."""
        return self._seen.is_set()

    def _watch(self) -> None:
        reader = _Lines(self._text)
        while not self._closed.is_set() and not self._seen.is_set():
            data = self._channel.receive(_POLL_SECONDS)
            if data == b"":
                break
            if data and reader.feed(data):
                self._seen.set()
        self._channel.close()

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._channel.close()


class _Lines:
    """Finds a text in either of two multiplexed streams, whatever the pieces they come in."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._raw = bytearray()
        self._tails: dict[int, bytes] = {}

    def feed(self, data: bytes) -> bool:
        """Take some bytes; return whether the text is complete."""
        self._raw += data
        while len(self._raw) >= 8:
            size = int.from_bytes(self._raw[4:8], "big")
            if len(self._raw) < 8 + size:
                break
            channel, payload = self._raw[0], bytes(self._raw[8 : 8 + size])
            del self._raw[: 8 + size]
            window = self._tails.get(channel, b"") + payload
            if self._text in window:
                return True
            # Only as much as could be the beginning of the text is kept.
            self._tails[channel] = window[-(len(self._text) - 1) :] if len(self._text) > 1 else b""
        return False
