"""Checks of what a declaration says; a message names the option, its rule and what was given."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from types import MappingProxyType

from harnest.execution.local.provider import limits

__all__ = ["names", "number", "paths", "python_path", "typed", "variables"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def number(name: str, value: object, least: int, most: int | None = None) -> None:
    """Refuse what is no int within bounds.

    Raises:
        ValueError: It is something else.
    """
    bound = f"at least {least}" if most is None else f"from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be an int {bound}, not {type(value).__name__}")  # noqa: TRY004 - a scalar of the contract: ValueError
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name} must be {bound}, not {value}")


def typed(name: str, value: object, types: tuple[type, ...]) -> None:
    """Refuse a value of another type.

    Raises:
        TypeError: It is one.
    """
    if not isinstance(value, types):
        names = " or ".join("None" if item is type(None) else item.__name__ for item in types)
        raise TypeError(f"{name} must be {names}, not {type(value).__name__}")


def paths(name: str, value: object) -> tuple[str, ...]:
    """Return absolute paths as texts, each once; they are not looked up.

    Raises:
        TypeError: They are no list or tuple, or one is no path.
        ValueError: One is relative or holds a NUL.
    """
    typed(name, value, (list, tuple))
    found: list[str] = []
    for path in value if isinstance(value, list | tuple) else ():
        typed(f"each of {name}", path, (str, os.PathLike))
        text = os.fspath(path)
        if not isinstance(text, str) or not os.path.isabs(text) or "\0" in text:  # noqa: PTH117 - text is wanted
            raise ValueError(f"{name} must hold absolute paths, not {text!r}")
        found.append(text)
    return tuple(dict.fromkeys(found))


def python_path(value: object) -> None:
    """Refuse what is no absolute path.

    Raises:
        TypeError: It is no text.
        ValueError: It is another text.
    """
    typed("python", value, (str,))
    if not isinstance(value, str) or "\0" in value or not os.path.isabs(value):  # noqa: PTH117 - text is wanted
        raise ValueError("python must be the absolute path of an interpreter")


def variables(value: object) -> Mapping[str, str]:
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
        _check_name(name)
        if not isinstance(text, str) or "\0" in text or not _encodes(text):
            raise ValueError(
                f"the value of environment variable {name} must be text without NUL of at most "
                f"{limits.ENVIRONMENT_VALUE_BYTES} bytes"
            )
    return MappingProxyType(dict(value))


def names(value: object) -> tuple[str, ...]:
    """Return names of environment variables, each once.

    Raises:
        TypeError: They are no list or tuple.
        ValueError: One is no name.
    """
    if not isinstance(value, list | tuple):
        raise TypeError(f"inherit must be a list or tuple of names, not {type(value).__name__}")
    for name in value:
        _check_name(name)
    return tuple(dict.fromkeys(value))


def _check_name(name: object) -> None:
    fits = isinstance(name, str) and len(name) <= limits.ENVIRONMENT_NAME_CHARACTERS
    if not fits or not _NAME.fullmatch(str(name)):
        raise ValueError(
            "the name of an environment variable must be letters, digits and underscores, at most "
            f"{limits.ENVIRONMENT_NAME_CHARACTERS}, not starting with a digit"
        )


def _encodes(text: str) -> bool:
    try:
        return len(text.encode()) <= limits.ENVIRONMENT_VALUE_BYTES
    except UnicodeEncodeError:
        return False
