"""Content as lines that a model reads, and text of a model's as content."""

from __future__ import annotations

import os

from harnest.execution.tools import limits
from harnest.execution.tools.faults import UnreadableContentError

__all__ = [
    "bounded",
    "content_of",
    "count",
    "foreign_bytes",
    "is_binary",
    "lines_of",
    "refuse_binary",
    "shown_line",
]


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines without their line feeds; a last line needs none to be one.

    Args:
        content: A file's content.
    """
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def shown_line(line: bytes) -> str:
    """Return a line as a model reads it: U+FFFD for what is no UTF-8, and not endless.

    Args:
        line: The line without its line feed.
    """
    text = line.decode("utf-8", "replace")
    more = len(text) - limits.LINE_CHARACTERS
    if more <= 0:
        return text
    return f"{text[: limits.LINE_CHARACTERS]} [{count(more, 'more character')}]"


def is_binary(content: bytes) -> bool:
    """Say whether content is no text: a NUL byte makes it so.

    Args:
        content: A file's content.
    """
    return b"\0" in content


def refuse_binary(shown: str, content: bytes) -> None:
    """Refuse content that is no text.

    Args:
        shown: The file's path as a model reads it.
        content: Its content.

    Raises:
        UnreadableContentError: It holds a NUL byte.
    """
    if is_binary(content):
        at = content.index(b"\0")
        raise UnreadableContentError(
            f"{shown} is binary: byte {at} of {len(content)} is NUL; use bash with a program that "
            "reads its format"
        )


def content_of(name: str, text: str) -> bytes:
    """Return text of a model's as it is stored.

    Args:
        name: The argument that it came in.
        text: The text.

    Raises:
        ValueError: It can't be stored as UTF-8, or is too long.
    """
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} holds half of a surrogate pair, which is no text") from None
    return bounded(name, content)


def bounded(name: str, content: bytes) -> bytes:
    """Return content that is not too long to be written.

    Args:
        name: What it is.
        content: The content.

    Raises:
        ValueError: It is too long.
    """
    most = limits.WRITE_BYTES
    if len(content) > most:
        raise ValueError(f"{name} has {len(content)} bytes, more than the limit of {most} bytes")
    return content


def foreign_bytes(content: bytes) -> int:
    """Return how many bytes of content are no UTF-8.

    Args:
        content: A file's content.
    """
    return sum("\udc80" <= character <= "\udcff" for character in os.fsdecode(content))


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    Args:
        number: How many.
        noun: Of what, for one.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
