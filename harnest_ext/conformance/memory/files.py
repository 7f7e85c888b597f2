"""A program's files, in memory: names and bytes, nothing of the host's."""

from __future__ import annotations

import io
from typing import IO, Any, Final

__all__ = ["MemoryFiles"]

_MODES: Final = {"r", "rb", "w", "wb", "a", "ab", "x", "xb"}


class MemoryFiles:
    """The files of one scratch directory.

    Attributes:
        contents: Bytes by plain relative name.
    """

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    def open(self, name: Any, mode: str = "r", **_options: Any) -> IO[Any]:
        """Stand in for ``open``.

        Raises:
            OSError: The name leads elsewhere, the file is not there, or is there and must not be.
            ValueError: The mode is none of the simple ones.
        """
        kind = mode.replace("t", "")
        if kind not in _MODES:
            raise ValueError(f"mode {mode!r} is not offered here")
        path = _plain(name)
        if kind[0] == "r" and path not in self.contents:
            raise FileNotFoundError(2, "No such file or directory", name)
        if kind[0] == "x" and path in self.contents:
            raise FileExistsError(17, "File exists", name)
        file = _File(self, path, kind[0])
        return file if kind.endswith("b") else io.TextIOWrapper(file, encoding="utf-8", newline="")


class _File(io.BytesIO):
    """Bytes that are stored under their name when they are flushed or closed."""

    def __init__(self, files: MemoryFiles, name: str, kind: str) -> None:
        before = files.contents.get(name, b"") if kind in "ra" else b""
        super().__init__(before)
        self._store = None if kind == "r" else files.contents
        self._stored_as = name
        if kind == "a":
            self.seek(0, io.SEEK_END)
        self.flush()

    def flush(self) -> None:
        """Store what was written."""
        if self._store is not None and not self.closed:
            self._store[self._stored_as] = self.getvalue()

    def close(self) -> None:
        """Store what was written, for good."""
        self.flush()
        super().close()


def _plain(name: Any) -> str:
    text = str(name)
    parts = text.split("/")
    if not text or any(part in ("", ".", "..") for part in parts):
        raise PermissionError(13, "Permission denied", text)
    return text
