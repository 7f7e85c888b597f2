"""What may be told of an exception that foreign code raised: its type, and nothing else."""

from __future__ import annotations

import re

__all__ = ["type_name"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}", re.ASCII)


def type_name(error: BaseException) -> str:
    """Return the name of an exception's type; a type may be made with any text as its name."""
    name = type(error).__name__
    return name if _NAME.fullmatch(name) else "an exception"
