"""Output of a program in memory: under one budget, decoded whole, handed on as it comes."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING

from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox.optional import OutputSink

__all__ = ["MemoryOutput", "writer"]


class MemoryOutput:
    """Both streams of one program.

    Args:
        budget: Most bytes kept of both together.
        sink: Takes each text as it comes; None for nobody.

    Attributes:
        dropped: Bytes beyond the budget, by stream.
    """

    def __init__(self, budget: int, sink: OutputSink | None) -> None:
        self._left = budget
        self._sink = sink
        self._texts: dict[OutputStream, list[str]] = {stream: [] for stream in OutputStream}
        self._decoders = {
            stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in OutputStream
        }
        self.dropped = dict.fromkeys(OutputStream, 0)
        self.sink_error: BaseException | None = None

    @property
    def overflowed(self) -> bool:
        """Whether more than the budget was written."""
        return any(self.dropped.values())

    def feed(self, stream: OutputStream, data: bytes, *, final: bool = False) -> None:
        """Take what was written; with ``final`` the stream is over."""
        kept = data[: self._left]
        self._left -= len(kept)
        self.dropped[stream] += len(data) - len(kept)
        text = self._decoders[stream].decode(kept, final=final and not self.dropped[stream])
        if text:
            self._texts[stream].append(text)
            self._hand_on(stream, text)

    def text(self, stream: OutputStream) -> str:
        """Return what was kept of a stream."""
        return "".join(self._texts[stream])

    def _hand_on(self, stream: OutputStream, text: str) -> None:
        if self._sink is None or self.sink_error is not None:
            return
        try:
            self._sink(stream, text)
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self.sink_error = error


class _Raw(io.RawIOBase):
    def __init__(self, write: Callable[[bytes], None]) -> None:
        super().__init__()
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        self._write(content)
        return len(content)


def writer(write: Callable[[bytes], None]) -> io.TextIOWrapper:
    """Return a text stream, with a ``buffer``, whose bytes go to ``write`` when it is flushed."""
    return io.TextIOWrapper(
        io.BufferedWriter(_Raw(write)), encoding="utf-8", newline="\n", write_through=True
    )
