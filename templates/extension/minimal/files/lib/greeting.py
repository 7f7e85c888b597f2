"""Greetings."""

from __future__ import annotations

__all__ = ["greeting"]


def greeting(name: str) -> str:
    """Return a greeting for a name.

    Raises:
        ValueError: The name is blank.
    """
    if not name.strip():
        raise ValueError("name must not be blank")
    return f"Hello, {name.strip()}!"
