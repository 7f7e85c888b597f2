"""A command's output: kept up to a budget, decoded without cutting characters, handed on."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..gateway.port import Stream

__all__ = ["Capture", "Receiver"]


class Receiver(Protocol):
    """Takes a command's output."""

    @property
    def full(self) -> bool:
        """Whether more came than is taken."""
        ...

    def feed(self, stream: Stream, data: bytes) -> None:
        """Take bytes as they come."""
        ...


class Capture:
    """Both output streams of one command under one budget.

    Args:
        budget: Most bytes kept of both together.
        sink: Takes each text as it comes; None to only keep it.

    Attributes:
        dropped: Bytes that came beyond the budget, by stream.
    """

    def __init__(self, budget: int, sink: Callable[[str, str], None] | None = None) -> None:
        self._left = budget
        self._sink = sink
        self._kept: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in self._kept}
        self._texts: dict[str, list[str]] = {name: [] for name in self._kept}
        self.dropped = dict.fromkeys(self._kept, 0)

    @property
    def full(self) -> bool:
        """Whether more came than the budget."""
        return any(self.dropped.values())

    def feed(self, stream: Stream, data: bytes) -> None:
        """Take bytes as they come."""
        kept = data[: self._left]
        self._left -= len(kept)
        self.dropped[stream] += len(data) - len(kept)
        if kept:
            self._kept[stream].append(kept)
            self._tell(stream, self._decoders[stream].decode(kept))

    def close(self) -> None:
        """Take the end of both streams: what was cut off at it becomes U+FFFD."""
        for name, decoder in self._decoders.items():
            if not self.dropped[name]:
                self._tell(name, decoder.decode(b"", final=True))

    def data(self, stream: str) -> bytes:
        """Return what was kept of a stream."""
        return b"".join(self._kept[stream])

    def text(self, stream: str) -> str:
        """Return what was kept of a stream, with U+FFFD for what is no UTF-8."""
        return "".join(self._texts[stream])

    def truncated(self) -> dict[str, int]:
        """Return the dropped bytes of each stream that was cut."""
        return {name: count for name, count in self.dropped.items() if count}

    def _tell(self, name: str, text: str) -> None:
        if text:
            self._texts[name].append(text)
            if self._sink is not None:
                self._sink(name, text)
