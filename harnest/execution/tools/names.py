r"""How a model reads and writes the name of a file.

A name is shown as it is, unless that could mislead: with control characters, bytes that are no
UTF-8, characters that are not printed, spaces at an end, or quotes at both ends it is put in double
quotes, with ``\n``, ``\t``, ``\r``, ``\"``, ``\\`` and ``\xNN`` (one byte) for what has no plain
form. A path that comes in double quotes is read by the same rule; any other is taken literally,
backslashes included. So every name can be shown, and what was shown names the same file.
"""

from __future__ import annotations

import os
import re

__all__ = ["read_name", "show_name"]

_LETTERS = {"n": b"\n", "t": b"\t", "r": b"\r", '"': b'"', "\\": b"\\"}
_SHOWN = {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r", ord('"'): '\\"', ord("\\"): "\\\\"}
_ESCAPE = re.compile(r'\\(?:x([0-9A-Fa-f]{2})|([ntr"\\]))|([^\\"]+)', re.DOTALL)


def show_name(name: bytes) -> str:
    """Return a path as a model reads it.

    Args:
        name: Its bytes, without NUL.
    """
    text = os.fsdecode(name)
    quoted = text.startswith('"') and text.endswith('"')
    if text.isprintable() and text == text.strip() and not quoted:
        return text
    return '"' + "".join(_character(character) for character in text) + '"'


def read_name(text: str) -> str:
    r"""Return the path that a model means, as :func:`os.fsdecode` would have it.

    Args:
        text: What it wrote: in double quotes with escapes, or plain.

    Raises:
        ValueError: It is empty, holds a NUL or a character that no name can have, or its quotes
            hold a lone quote or an escape other than ``\n``, ``\t``, ``\r``, ``\"``, ``\\`` and
            ``\xNN``.
    """
    if len(text) >= 2 and text.startswith('"') and text.endswith('"'):
        text = os.fsdecode(_unquoted(text[1:-1]))
    if not text or "\0" in text:
        raise ValueError("a path must be a non-empty text without NUL")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ValueError(
            "a path holds half of a surrogate pair; write a byte that is no UTF-8 in double "
            'quotes, such as "caf\\xe9"'
        ) from None
    return text


def _character(character: str) -> str:
    code = ord(character)
    if code in _SHOWN:
        return _SHOWN[code]
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))


def _unquoted(text: str) -> bytes:
    found, position = [], 0
    while position < len(text):
        match = _ESCAPE.match(text, position)
        if match is None:
            raise ValueError(
                f"the quoted path has no meaning from {text[position : position + 10]!r} on: in "
                'double quotes write \\\\ for a backslash, \\" for a quote, \\n, \\t, \\r or \\xNN'
            )
        position = match.end()
        found.append(_bytes(match))
    return b"".join(found)


def _bytes(match: re.Match[str]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 16)])
    return _LETTERS[match[2]] if match[2] else os.fsencode(match[3])
