"""A program's bytes as the text that a model reads."""

from __future__ import annotations

import codecs

__all__ = ["decoded"]


def decoded(data: bytes, *, cut: bool) -> str:
    """Return UTF-8 as text, with U+FFFD for what is none.

    Args:
        data: What the program wrote, or the beginning of it.
        cut: Whether more followed; a character that the cut went through is left out then, since
            the program did not write it wrongly.
    """
    return codecs.getincrementaldecoder("utf-8")("replace").decode(data, final=not cut)
