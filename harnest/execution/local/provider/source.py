"""Which programs can be delivered at all."""

from __future__ import annotations

from harnest.execution.local.provider import limits

__all__ = ["refusal_of"]


def refusal_of(code: str) -> str:
    """Return why a program can't be delivered, or an empty text."""
    try:
        size = len(code.encode())
    except UnicodeEncodeError:
        return "the code holds a lone surrogate, which no file could hold"
    if "\0" in code:
        return "the code holds a NUL character"
    if size > limits.CODE_BYTES:
        return f"the code has {size} bytes, more than {limits.CODE_BYTES}"
    return ""
