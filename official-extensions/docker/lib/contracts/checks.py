"""Check one authored value: a number, a text, a list.

A scalar that is wrong in type or value is a ``ValueError``; a wrong container or contract type is a
``TypeError``. Messages name the option and the bound and never repeat a value: it may be a secret.
"""

import math
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from ..limits import PORT_MAX, TEXT_BYTES, UID_MAX

T = TypeVar("T")

_LABEL = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
_USER = re.compile(r"([1-9][0-9]{0,9})(?::([1-9][0-9]{0,9}))?", re.ASCII)


def integer(value: object, option: str, *, least: int, most: int) -> int:
    """Return *value* if it is an int (not a bool) between *least* and *most*; else ValueError."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{option} must be a whole number from {least} to {most}")
    return value


def seconds(value: object, option: str, *, least: float, most: float) -> float:
    """Return *value* if it is a finite number of seconds between *least* and *most*; else ValueError."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{option} must be a finite number of seconds")
    if not least <= value <= most:
        raise ValueError(f"{option} must be from {least} to {most} seconds")
    return float(value)


def flag(value: object, option: str) -> bool:
    """Return *value* if it is exactly True or False; else TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{option} must be True or False")
    return value


def text(value: object, option: str, *, empty: bool = False) -> str:
    """Return *value* if it is a text that can be handed to Docker; else ValueError.

    Not blank unless *empty*; at most 8 KiB of UTF-8; no NUL; no lone surrogate.
    """
    if not isinstance(value, str):
        raise ValueError(f"{option} must be a text")  # noqa: TRY004 - a scalar of the contract: ValueError
    if not empty and not value.strip():
        raise ValueError(f"{option} must not be empty")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise ValueError(f"{option} must not hold lone surrogates") from None
    if size > TEXT_BYTES:
        raise ValueError(f"{option} must be at most {TEXT_BYTES} bytes of UTF-8")
    if "\0" in value:
        raise ValueError(f"{option} must not hold a NUL character")
    return value


def sequence(value: object, option: str, *, most: int) -> tuple[Any, ...]:
    """Return *value*, a list or tuple of at most *most* items, as a tuple.

    Raises:
        TypeError: it is something else (a bare text too).
        ValueError: it has more items.
    """
    if not isinstance(value, list | tuple):
        raise TypeError(f"{option} must be a list or tuple")
    if len(value) > most:
        raise ValueError(f"{option} must have at most {most} items")
    return tuple(value)


def instance(value: object, option: str, kind: type[T]) -> T:
    """Return *value* if it is a *kind*; else TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{option} must be a {kind.__name__}")
    return value


def command(value: object, option: str, *, most: int, required: bool = False) -> tuple[str, ...]:
    """Return a command as a tuple of arguments; a single text would need a shell and is a TypeError."""
    arguments = sequence(value, option, most=most)
    if required and not arguments:
        raise ValueError(f"{option} must name a program")
    return tuple(
        text(argument, f"{option}[{position}]", empty=position > 0)
        for position, argument in enumerate(arguments)
    )


def label(value: object, option: str) -> str:
    """Return *value* if it is a portable lower-case DNS label; else ValueError."""
    name = text(value, option)
    if not _LABEL.fullmatch(name):
        raise ValueError(
            f"{option} must be 1-63 of a-z, 0-9 and hyphen, begin with a letter, not end with a hyphen"
        )
    return name


def variable(value: object, option: str) -> str:
    """Return *value* if it can name an environment entry; else ValueError."""
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value):
        raise ValueError(f"{option} must have names of 1-128 letters, digits and underscores")
    return value


def ports(value: object, option: str, *, most: int) -> tuple[int, ...]:
    """Return port numbers in order, each once."""
    numbers = sequence(value, option, most=most)
    return unique(integer(number, option, least=1, most=PORT_MAX) for number in numbers)


def user(value: object, option: str) -> str:
    """Return ``"uid:gid"`` from the text ``"uid"`` or ``"uid:gid"``, both numbers and never 0."""
    found = _USER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f'{option} must be numbers, "uid" or "uid:gid", and not 0')
    uid, gid = found[1], found[2] or found[1]
    if max(int(uid), int(gid)) > UID_MAX:
        raise ValueError(f"{option} must have numbers of at most {UID_MAX}")
    return f"{uid}:{gid}"


def unique(values: Iterable[T]) -> tuple[T, ...]:
    """Return *values* in order, each once."""
    return tuple(dict.fromkeys(values))
