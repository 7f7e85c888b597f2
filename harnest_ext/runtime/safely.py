"""What may be told of an exception that foreign code raised: its type and place, nothing else."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["ends_caller", "place_in", "type_name"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}", re.ASCII)


def type_name(error: BaseException) -> str:
    """Return the name of an exception's type; a type may be made with any text as its name."""
    name = type(error).__name__
    return name if _NAME.fullmatch(name) else "an exception"


def ends_caller(error: BaseException) -> bool:
    """Tell whether an exception is the end of whoever called foreign code, and none of the code's.

    SystemExit isn't: an extension that exits has failed.
    """
    import asyncio  # noqa: PLC0415 - only a failure needs it, and it is large

    return isinstance(error, KeyboardInterrupt | GeneratorExit | asyncio.CancelledError)


def place_in(error: BaseException, where: Path) -> tuple[Path, int | None]:
    """Return file and line of the innermost step of an exception below ``where``.

    Where an author's own file raised is no secret, and is what the author looks for.

    Args:
        error: What was raised.
        where: A file, or a folder of files.

    Returns:
        ``where`` itself and no line if no step lies there.
    """
    if isinstance(error, SyntaxError) and error.filename and _within(error.filename, where):
        return Path(error.filename), error.lineno
    found: tuple[Path, int | None] = (where, None)
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if _within(file, where):
            found = (Path(file), step.tb_lineno)
        step = step.tb_next
    return found


def _within(file: str, where: Path) -> bool:
    return Path(file).is_relative_to(where)
