"""Checks of what callers pass; a message names the field, the rule, what was given and the way out.

A scalar that is wrong in any way is a ValueError. A container or path of the wrong type is a
TypeError. The values of environment variables are never repeated.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from harnest.execution import limits
from harnest.execution.variables import Variables

__all__ = [
    "absolute",
    "choice",
    "deadline",
    "language",
    "number",
    "readable_paths",
    "source",
    "stdin_bytes",
    "variables",
    "work_directory",
]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def number(name: str, value: object, most: int) -> int:
    """Return an int, not a bool, from 1 to ``most``.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be an int from 1 to {most}, not {_shown(value)}")  # noqa: TRY004 - see above
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be from 1 to {most}, not {_shown(value)}")
    return value


def choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse what is none of some values; 1 is not True.

    Raises:
        ValueError: It is another value.
    """
    if not any(value == item and type(value) is type(item) for item in allowed):
        names = ", ".join(repr(item) for item in allowed)
        raise ValueError(f"{name} must be one of {names}, not {_shown(value)}")


def deadline(timeout: object, configured: int) -> int:
    """Return the deadline of a call in seconds: what it asks for, within what is configured.

    Args:
        timeout: What it asks for; None for what is configured.
        configured: Longest deadline.

    Raises:
        ValueError: ``timeout`` is no int, or less than 1.
    """
    if timeout is None:
        return configured
    return min(configured, number("timeout", timeout, limits.SECONDS_MAXIMUM))


def language(value: object) -> None:
    """Refuse every language but Python.

    Raises:
        ValueError: It is another one.
    """
    if value != "python":
        raise ValueError(
            f"language must be 'python', not {_shown(value)}; run another one by its interpreter "
            "with execute_command"
        )


def absolute(name: str, value: object) -> str:
    """Return the text of an absolute path, not looked up.

    Raises:
        ValueError: It is something else.
    """
    if not isinstance(value, str) or "\0" in value or not value.startswith("/"):
        raise ValueError(f"{name} must be the absolute path of a program, not {_shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{name} must be a path in UTF-8, not {_shown(value)}. Name a link to the program"
        ) from None
    return value


def source(name: str, value: object, most: int) -> str:
    """Return program or command text that can be delivered as it is.

    Args:
        name: What it is.
        value: The text.
        most: Most bytes in UTF-8.

    Raises:
        ValueError: It is no text, blank, too long, holds a NUL or can't be encoded.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a non-blank str, not {_shown(value)}")
    if "\0" in value:
        raise ValueError(f"{name} must hold no NUL character: no program could be given it")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise ValueError(f"{name} holds a lone surrogate, which is no text") from None
    if size > most:
        raise ValueError(f"{name} has {size} bytes, more than {most}; pass data as a file or stdin")
    return value


def stdin_bytes(value: object) -> bytes | None:
    """Return the input for a call.

    Raises:
        TypeError: It is neither bytes nor None.
        ValueError: It is too long.
    """
    if value is None:
        return None
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"stdin must be bytes or None, not {type(value).__name__}")
    if memoryview(value).nbytes > limits.STDIN_BYTES:
        size = memoryview(value).nbytes
        raise ValueError(f"stdin has {size} bytes, more than {limits.STDIN_BYTES}; pass a file")
    return bytes(value)


def variables(value: object) -> Variables:
    """Return environment variables as a mapping that nobody can change.

    Raises:
        TypeError: It is no mapping.
        ValueError: A name or value is none of a variable, or there are too many.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"environment must be a mapping, not {type(value).__name__}")
    if len(value) > limits.ENVIRONMENT_ENTRIES:
        raise ValueError(f"environment has more than {limits.ENVIRONMENT_ENTRIES} entries")
    for name, text in value.items():
        if not _is_name(name):
            raise ValueError(
                "each name of environment must be letters, digits and underscores, at most "
                f"{limits.ENVIRONMENT_NAME_CHARACTERS}, not starting with a digit"
            )
        if not _is_value(text):
            raise ValueError(
                f"the value of {name} in environment must be text without NUL of at most "
                f"{limits.ENVIRONMENT_VALUE_BYTES} bytes in UTF-8"
            )
    return Variables(value)


def readable_paths(value: object) -> tuple[str, ...]:
    """Return existing paths of this host as their real paths, each once.

    Raises:
        TypeError: It is no sequence of paths; a single text is none.
        ValueError: One does not exist or is the whole file system, or they are too many.
    """
    if isinstance(value, str | bytes | os.PathLike) or not isinstance(value, list | tuple):
        raise TypeError(
            f"allowed_paths must be a list or tuple of paths, not {type(value).__name__}"
        )
    if len(value) > limits.ALLOWED_PATHS:
        raise ValueError(f"allowed_paths has more than {limits.ALLOWED_PATHS} entries")
    return tuple(dict.fromkeys(str(_real("allowed_paths", item)) for item in value))


def work_directory(value: object, name: str = "directory") -> Path:
    """Return an existing folder of this host as its real path.

    Args:
        value: The path.
        name: What the caller calls it.

    Raises:
        TypeError: It is no path.
        ValueError: It is no existing folder, or the whole file system.
    """
    found = _real(name, value)
    if not found.is_dir():
        raise ValueError(f"{name} must be an existing folder; {found} is none")
    return found


def _real(name: str, value: object) -> Path:
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(f"{name} must hold paths as str or Path, not {type(value).__name__}")
    if value == "":  # an unset variable, say; the current folder is a dot
        raise ValueError(f"{name} must name a path, not ''; name it, or leave it out")
    try:
        found = Path(value).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise ValueError(
            f"{name} must name what exists and can be looked up; {_shown(str(value))} can't. "
            "Make it first, or leave it out"
        ) from None
    if found == Path(found.anchor):
        raise ValueError(f"{name} must not be {found}: that is every file of this host")
    return found


def _is_name(name: object) -> bool:
    short = isinstance(name, str) and len(name) <= limits.ENVIRONMENT_NAME_CHARACTERS
    return short and _VARIABLE.fullmatch(str(name)) is not None


def _is_value(text: object) -> bool:
    if not isinstance(text, str) or "\0" in text:
        return False
    try:
        return len(text.encode()) <= limits.ENVIRONMENT_VALUE_BYTES
    except UnicodeEncodeError:
        return False


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
