"""Where a key stands in a TOML file, which its parser does not tell."""

from __future__ import annotations

import re

__all__ = ["TomlLines"]

_NEARBY = 300
"""Lines below a key in which a part of its value is looked for."""
_HEADER = re.compile(r"\s*\[([^\[\]\n]+)\]\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_.\s-]|"[^"\n]*"|'[^'\n]*')+?)\s*=""")


class TomlLines:
    """Finds lines by looking at headers and keys; good enough to point a reader at the place.

    Args:
        text: Content of a TOML file that parses.
    """

    __slots__ = ("_lines", "_places")

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._places: dict[str, int] = {}
        table = ""
        for number, line in enumerate(self._lines, 1):
            header = _HEADER.fullmatch(line)
            if header:
                table = _plain(header[1])
                self._places.setdefault(table, number)
                continue
            match = _KEY.match(line)
            if match:
                key = ".".join(filter(None, (table, _plain(match[1]))))
                self._places.setdefault(key, number)

    def of(self, key: str, value: str = "") -> int | None:
        """Return the line of a key or table, or of a text inside its value.

        Args:
            key: Dotted name, without quotes; its parent's line answers if it is not found.
            value: Text that the line should hold, at the key or shortly below it.
        """
        while key and key not in self._places:
            key = key.rpartition(".")[0]
        start = self._places.get(key)
        if start is None or not value:
            return start
        nearby = range(start, min(len(self._lines), start + _NEARBY) + 1)
        return next((number for number in nearby if value in self._lines[number - 1]), start)


def _plain(name: str) -> str:
    return re.sub(r"""["'\s]""", "", name)
