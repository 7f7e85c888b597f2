"""A quick reading of lock files that look exactly as this product writes them.

Reading is on the path of every command, and tomllib takes most of the time of listing hundreds of
extensions. What this product wrote has one key on a line and values that JSON reads too, which is
done in C. Nothing is believed of it until rendering the answer has given the same bytes again:
whatever differs, by a comment or a blank, is left to tomllib.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["quick_tables"]

_TEXT = r'("(?:[^"\\\x00-\x1f]|\\.)*")'
_SOURCE = re.compile(rf"\{{ kind = {_TEXT}, location = {_TEXT}(?:, file = {_TEXT})? \}}")
_WHEEL = re.compile(rf"\{{ sha256 = {_TEXT}, size = ([0-9]+) \}}")
_MARK = "\n[[extension]]\n"


def quick_tables(text: str, header: str) -> list[dict[str, Any]] | None:
    """Return the tables of a lock file's text, or None when it is not as this product writes it.

    Args:
        text: Whole content.
        header: What stands before the first table.
    """
    head, *blocks = text.split(_MARK)
    if head != header or not blocks:
        return None
    try:
        shapes = ("{" + ",".join(map(_pair, block.splitlines())) + "}" for block in blocks)
        found = json.loads("[" + ",".join(shapes) + "]")
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def _pair(line: str) -> str:
    key, _, value = line.partition(" = ")
    if value.startswith("{"):
        value = _inline(value)
    return f'"{key}":{value}'


def _inline(value: str) -> str:
    if match := _SOURCE.fullmatch(value):
        more = f',"file":{match[3]}' if match[3] else ""
        return f'{{"kind":{match[1]},"location":{match[2]}{more}}}'
    if match := _WHEEL.fullmatch(value):
        return f'{{"sha256":{match[1]},"size":{match[2]}}}'
    return value
