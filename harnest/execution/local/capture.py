"""A program's output: kept up to the budget, handed on as text without cutting characters."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from harnest.execution.text import decoded
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from harnest.sandbox.optional import OutputSink

__all__ = ["Capture"]


class Capture:
    """Both output streams of one execution under one budget.

    Args:
        budget: Most bytes kept of both together.
        sink: Takes each text as it comes; None to only keep it.

    Attributes:
        dropped: Bytes beyond the budget that were read, by stream.
    """

    def __init__(self, budget: int, sink: OutputSink | None = None) -> None:
        self._left = budget
        self._sink = sink
        self._decoders = {
            stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in OutputStream
        }
        self._kept: dict[OutputStream, list[bytes]] = {stream: [] for stream in OutputStream}
        self.dropped: dict[OutputStream, int] = dict.fromkeys(OutputStream, 0)

    @property
    def overflowed(self) -> bool:
        """Whether the program wrote more than the budget."""
        return any(self.dropped.values())

    def feed(self, stream: OutputStream, data: bytes) -> None:
        """Take bytes as they were read."""
        kept = data[: self._left]
        self._left -= len(kept)
        self.dropped[stream] += len(data) - len(kept)
        if kept:
            self._kept[stream].append(kept)
        if self._sink is not None:
            self._hand_on(stream, self._decoders[stream].decode(kept))

    def close(self) -> None:
        """Take the end of both streams; a character that was cut off becomes U+FFFD.

        One that the budget itself cut is left out: the program did not write it wrongly.
        """
        for stream, decoder in self._decoders.items():
            if self._sink is not None and not self.dropped[stream]:
                self._hand_on(stream, decoder.decode(b"", final=True))

    def data(self, stream: OutputStream) -> bytes:
        """Return what was kept of a stream, as it was written."""
        return b"".join(self._kept[stream])

    def text(self, stream: OutputStream) -> str:
        """Return what was kept of a stream as text."""
        return decoded(self.data(stream), cut=self.dropped[stream] > 0)

    def truncated(self) -> dict[str, int]:
        """Return the dropped bytes of each stream that was truncated."""
        return {stream.value: count for stream, count in self.dropped.items() if count}

    def _hand_on(self, stream: OutputStream, text: str) -> None:
        if text and self._sink is not None:
            self._sink(stream, text)
