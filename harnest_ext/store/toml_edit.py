"""Put entries into one table of a TOML file of the user's, and take some out, all else as it was.

tomlkit keeps comments, order and formatting. What it does not keep is seen to here: the file's way
to end lines, and tables whose parts stand in several places, which it can't take entries out of.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from harnest_ext.toml_fault import key_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["edited"]

_VERSION: Final = "version"
_ANY: Final = "*"
_LONE_LF = re.compile(rb"(?<!\r)\n")


def edited(
    data: bytes, table: str, *, put: Mapping[str, Mapping[str, str | bool]], drop: Collection[str]
) -> bytes | None:
    """Return ``data`` with entries put into a table and dropped; None when it can't be done.

    Args:
        data: Content of the file, valid TOML.
        table: Dotted name of the table; it is made when absent.
        put: Entries by key; one that says only a version is written as a text.
        drop: Keys that the table has, and is not to have.
    """
    crlf = b"\n" in data and not _LONE_LF.search(data)
    if data and not data.endswith(b"\n"):
        data += b"\n"
    for key in drop:
        shorter = _without(data, table, key)
        if shorter is None:
            return None
        data = shorter
    try:
        text = _with(data, table, put) if put else data
    except (TOMLKitError, TypeError, AttributeError, ValueError, IndexError):
        # Of tomlkit, on spellings that it does not master.
        return None
    return _LONE_LF.sub(b"\r\n", text) if crlf else text


def _with(data: bytes, table: str, put: Mapping[str, Mapping[str, str | bool]]) -> bytes:
    document = tomlkit.parse(data)
    node: Any = document
    *outer, last = table.split(".")
    for key in outer:
        node = node.setdefault(key, tomlkit.table(is_super_table=True))
    node = node.setdefault(last, tomlkit.table())
    for key, entry in put.items():
        have = node.get(key)
        if isinstance(have, Table):
            _fill(have, entry)
        else:
            node[key] = _value(entry)
    return document.as_string().encode()


def _fill(table: Table, entry: Mapping[str, str | bool]) -> None:
    """Change a table with a header of its own in its place."""
    wanted = entry or {_VERSION: _ANY}
    for key in [key for key in table if key not in wanted]:
        table.remove(key)
    for key, value in wanted.items():
        if table.get(key) != value:
            table[key] = value


def _value(entry: Mapping[str, str | bool]) -> object:
    if entry.keys() <= {_VERSION}:
        return entry.get(_VERSION) or _ANY
    parts = ", ".join(f"{key} = {tomlkit.item(value).as_string()}" for key, value in entry.items())
    # Parsed rather than built, for the blanks inside the braces that people write.
    return tomlkit.parse(f"it = {{ {parts} }}\n")["it"]


def _without(data: bytes, table: str, key: str) -> bytes | None:
    """Return ``data`` without one entry, by tomlkit or else line by line; None if neither can."""
    wanted = tomllib.loads(data.decode())
    node = wanted
    for part in table.split("."):
        node = node[part]
    del node[key]
    for attempt in (_removed, _lines_left):
        try:
            text = attempt(data, table, key)
            left = tomllib.loads(text.decode())
        except (TOMLKitError, TypeError, AttributeError, ValueError, IndexError, KeyError):
            continue  # of tomlkit, on spellings that it does not master
        if left == wanted or _emptied(left, table) == _emptied(wanted, table):
            return text
    return None


def _removed(data: bytes, table: str, key: str) -> bytes:
    document = tomlkit.parse(data)
    node: Any = document
    for part in table.split("."):
        node = node[part]
    node.remove(key)
    return document.as_string().encode()


def _lines_left(data: bytes, table: str, key: str) -> bytes:
    """Take out the line that sets ``key``, or its header with all that is below it."""
    lines = data.splitlines(keepends=True)
    at = key_line(data, table, key)
    if at is None:
        raise ValueError(key)
    end = at
    if lines[at - 1].lstrip().startswith(b"["):
        while end < len(lines) and not lines[end].lstrip().startswith(b"["):
            end += 1
    return b"".join(lines[: at - 1] + lines[end:])


def _emptied(document: dict[str, Any], table: str) -> dict[str, Any]:
    """A table, and those around it, that lost their last entry are as good as not there."""
    *outer, last = table.split(".")
    path = [document]
    for key in outer:
        path.append(path[-1].setdefault(key, {}))
    for node, key in zip(reversed(path), (last, *reversed(outer)), strict=True):
        if not node.get(key):
            node.pop(key, None)
    return document
