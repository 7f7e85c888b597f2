"""The bytes of a manifest as text that shows all of what it holds."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.manifest import rules

if TYPE_CHECKING:
    from harnest_ext.problem import Problem

__all__ = ["decoded", "objection_to_text"]

_BOM = b"\xef\xbb\xbf"
_SHOWN = re.compile(r"[\t\n\r\x20-\x7e]*", re.ASCII)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def decoded(data: bytes, path: str) -> tuple[str, Problem | None]:
    """Return the text of a manifest, or the reason why it can't be taken.

    Args:
        data: Content of the file; a UTF-8 byte order mark is accepted.
        path: How the file is named in a problem.
    """
    if len(data) > limits.MANIFEST_BYTES:
        expected = f"at most {limits.MANIFEST_BYTES} bytes"
        got = f"{len(data)} bytes"
        return "", rules.SIZE.problem(
            "The manifest is too big.", path=path, expected=expected, got=got
        )
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return "", rules.ENCODING.problem(
            "The manifest is not UTF-8.", path=path, line=line, expected="UTF-8"
        )
    match = _SHOWN.match(text)
    start = match.end() if match else 0
    for position in range(start, len(text)):
        reason = _objection(text[position])
        if reason:
            line = text.count("\n", 0, position) + 1
            return "", rules.CHARACTERS.problem(
                f"The manifest holds {reason}.", path=path, line=line
            )
    return text, None


def objection_to_text(text: str) -> str:
    """Return what a text holds that does not show, such as ``"U+202E"``; empty if nothing."""
    if _SHOWN.fullmatch(text):
        return ""
    return next((reason for ch in text if (reason := _objection(ch))), "")


def _objection(ch: str) -> str:
    if ch in "\t\n\r" or unicodedata.category(ch) not in _HIDDEN_CATEGORIES:
        return ""
    return f"the character U+{ord(ch):04X}, which does not show"
