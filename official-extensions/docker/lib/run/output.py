"""Collect a program's output as text, decoded as it comes."""

import codecs
from collections.abc import Generator

from harnest.sandbox.optional import OutputSink, OutputStream


class Collected:
    """One stream's text so far; incomplete characters wait for their rest."""

    def __init__(self, stream: OutputStream, on_output: OutputSink | None) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._text = _growing()
        next(self._text)
        self._on_output = on_output
        self._ended = False

    def add(self, data: bytes, *, final: bool = False) -> None:
        """Add some bytes; with *final* what is incomplete is replaced."""
        text = self._decoder.decode(data, final)
        if text:
            self._text.send(text)
            if self._on_output is not None:
                self._on_output(self._stream, text)

    def text(self) -> str:
        """Return everything; nothing may be added afterwards."""
        if not self._ended:
            self._ended = True
            self.add(b"", final=True)
        return self._text.send("")


def _growing() -> Generator[str, str, None]:
    # A text that only one name refers to grows in place: collecting parts to join them at the end
    # would need twice the memory for a moment.
    text = ""
    while True:
        part = yield text
        text += part
