"""Why a text is not TOML, and where; and where in a TOML text a key stands."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

__all__ = ["TomlFault", "key_line", "toml_fault"]

_POSITION = re.compile(r" ?\((?:at line (\d+), column (\d+)|at end of document)\)")
_HEADER = re.compile(r"\s*\[+([^\]#]+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlFault:
    """What the parser has against a text.

    Attributes:
        reason: Half a sentence.
        line: Where, from 1; None when that can't be told.
        column: Where in the line, from 1.
    """

    reason: str
    line: int | None = None
    column: int | None = None


def toml_fault(error: Exception, data: bytes) -> TomlFault:
    """Return what `tomllib`, or decoding, had against ``data``.

    Args:
        error: What it raised.
        data: The whole text.
    """
    if isinstance(error, UnicodeDecodeError):
        return TomlFault(reason="it is not UTF-8", line=data.count(b"\n", 0, error.start) + 1)
    if data.startswith(codecs.BOM_UTF8):
        reason = "it begins with a byte order mark, which TOML does not allow"
        return TomlFault(reason=reason, line=1, column=1)
    if isinstance(error, RecursionError):
        return TomlFault(reason="it is nested too deeply")
    text = str(error)
    found = _POSITION.search(text)
    reason = f"it is not TOML: {_POSITION.sub('', text).strip()}"
    if found is None:
        return TomlFault(reason=reason)
    if found[1] is None:
        return TomlFault(reason=reason, line=data.count(b"\n") + 1)
    return TomlFault(reason=reason, line=int(found[1]), column=int(found[2]))


def key_line(data: bytes, table: str, key: str) -> int | None:
    """Return the line on which ``key`` of ``table`` is set, from 1; None when it can't be seen.

    Args:
        data: A text that is TOML.
        table: Dotted name of the table, of bare keys.
        key: A bare key.
    """
    header = ""
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        named = _HEADER.match(line)
        if named:
            header = _plain(named[1])
        path = header if named else _joined(header, line.partition("=")[0])
        if path == f"{table}.{key}":
            return number
    return None


def _plain(dotted: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in dotted.split("."))


def _joined(header: str, key: str) -> str:
    return _plain(f"{header}.{key}" if header else key)
