"""A program's output: kept within its budget, decoded without cutting characters."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from harnest.sandbox.optional import OutputSink

__all__ = ["Output"]


class Output:
    """Both streams of one program under one budget.

    Args:
        budget: Most bytes kept of both together.
        sink: Takes each text as it comes; None for nobody.
    """

    def __init__(self, budget: int, sink: OutputSink | None) -> None:
        self._left = budget
        self._sink = sink
        self._texts: dict[OutputStream, list[str]] = {stream: [] for stream in OutputStream}
        self._decoders = {
            stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in OutputStream
        }
        self.dropped = dict.fromkeys(OutputStream, 0)

    @property
    def overflowed(self) -> bool:
        """Whether the program wrote more than the budget."""
        return any(self.dropped.values())

    def feed(self, stream: OutputStream, data: bytes, *, final: bool = False) -> None:
        """Take bytes as they were read; ``final`` says that no more will come."""
        kept = data[: self._left]
        self._left -= len(kept)
        self.dropped[stream] += len(data) - len(kept)
        text = self._decoders[stream].decode(kept, final=final and not self.dropped[stream])
        if text:
            self._texts[stream].append(text)
            if self._sink is not None:
                self._sink(stream, text)

    def text(self, stream: OutputStream) -> str:
        """Return what was kept of a stream."""
        return "".join(self._texts[stream])

    def truncated(self) -> dict[str, int]:
        """Return the dropped bytes of each stream that was cut."""
        return {stream.value: count for stream, count in self.dropped.items() if count}
