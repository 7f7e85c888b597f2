"""Checks that several value types of the contract share; each returns what it was given."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["nonblank", "optional_text", "positive_int", "typed_tuple"]

_T = TypeVar("_T")


def nonblank(name: str, value: object) -> str:
    """Return ``value`` if it is text with a visible character.

    Raises:
        ValueError: It is not; the value is not repeated in the message.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a non-blank str")
    return value


def optional_text(name: str, value: object) -> str | None:
    """Return ``value`` if it is text or None.

    Raises:
        TypeError: It is neither.
    """
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a str or None, not {type(value).__name__}")
    return value


def positive_int(name: str, value: object, *, minimum: int = 1) -> int:
    """Return ``value`` if it is an int, not a bool, of at least ``minimum``.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise ValueError(f"{name} must be an int of at least {minimum}")
    return value


def typed_tuple(name: str, value: object, member: type[_T]) -> tuple[_T, ...]:
    """Return a list or tuple of ``member`` instances as a tuple.

    Raises:
        TypeError: It is another container, or holds something else.
    """
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a list or tuple, not {type(value).__name__}")
    if not all(isinstance(item, member) for item in value):
        raise TypeError(f"{name} must hold {member.__name__} only")
    return tuple(value)
