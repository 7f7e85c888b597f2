"""Take output files from PID 1: names are checked again, sizes and counts are bounds that it promised."""

import mimetypes

from harnest.sandbox import SandboxFile

from ..pid1 import wire
from ..pid1.files import parts_of
from .stream import StreamError

_UNKNOWN_TYPE = "application/octet-stream"


class IncomingFiles:
    """Files as they come, one after the other."""

    def __init__(self, most_files: int, most_bytes: int) -> None:
        self._files_left = most_files
        self._bytes_left = most_bytes
        self._files: list[tuple[str, bytearray, int]] = []

    def begin(self, payload: bytes) -> None:
        """Take the head of the next file; StreamError if it is more than was allowed."""
        if len(payload) < wire.FILE_HEAD.size or not self._complete():
            raise StreamError("file head")
        size, length = wire.FILE_HEAD.unpack_from(payload)
        name = payload[wire.FILE_HEAD.size :]
        self._files_left -= 1
        self._bytes_left -= size
        if len(name) != length or self._files_left < 0 or self._bytes_left < 0:
            raise StreamError("file bounds")
        try:
            parts_of(name.decode())
        except ValueError:
            raise StreamError("file name") from None
        self._files.append((name.decode(), bytearray(), size))

    def add(self, payload: bytes) -> None:
        """Take some content of the file that was begun last."""
        if not self._files:
            raise StreamError("file content")
        _, content, size = self._files[-1]
        content += payload
        if len(content) > size:
            raise StreamError("file size")

    def _complete(self) -> bool:
        return not self._files or len(self._files[-1][1]) == self._files[-1][2]

    def whole(self) -> tuple[SandboxFile, ...]:
        """Return the files that are complete."""
        return tuple(
            SandboxFile(
                name=name,
                content=bytes(content),
                mime_type=mimetypes.guess_type(name)[0] or _UNKNOWN_TYPE,
            )
            for name, content, size in self._files
            if len(content) == size
        )
