"""Ranges as other tools write them, and what they are in PEP 440."""

from __future__ import annotations

import re

__all__ = ["corrected"]

_VERSION = r"[vV]?([0-9]+(?:\.[0-9]+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)[-.]?[0-9]*)?)"
_CARET = re.compile(rf"[@=:]*\s*\^\s*{_VERSION}")
_TILDE = re.compile(rf"[@=:]*\s*~>?\s*{_VERSION}")
_EXACT = re.compile(rf"(?:@|=|:|={{1,3}}|\s*)\s*{_VERSION}")
_WILD = re.compile(r"(?:@|=|:|={1,3}|\s*)\s*[vV]?([0-9]+(?:\.[0-9]+)*)\.[xX*]")
_LATEST = re.compile(r"(?:@|=|:|={1,3}|\s)?\s*(?:latest|\*|newest|stable)", re.IGNORECASE)
_ARROW = re.compile(rf"(=>|=<|>\s=|<\s=)\s*{_VERSION}")


def corrected(text: str) -> str | None:
    """Return the PEP 440 range that was probably meant, or None when that can't be told.

    Args:
        text: What followed the name, such as ``^1.0``, ``@1.0``, ``~1.2``, ``=1.0``, ``@latest``.

    Returns:
        A range, empty for "any version".
    """
    text = text.strip()
    if match := _CARET.fullmatch(text):
        return f">={match[1]},<{_caret_end(match[1])}"
    if match := _TILDE.fullmatch(text):
        return f">={match[1]},<{_tilde_end(match[1])}"
    if match := _WILD.fullmatch(text):
        return f"=={match[1]}.*"
    if match := _EXACT.fullmatch(text):
        return f"=={match[1]}"
    if match := _ARROW.fullmatch(text):
        return f"{'>=' if '>' in match[1] else '<='}{match[2]}"
    return "" if _LATEST.fullmatch(text) else None


def _numbers(version: str) -> list[int]:
    match = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return [int(part) for part in match[0].split(".")] if match else [0]


def _caret_end(version: str) -> str:
    """The first number that is not zero may not change; that is what a caret means elsewhere."""
    numbers = _numbers(version)
    leading = next((i for i, number in enumerate(numbers) if number), len(numbers) - 1)
    return ".".join(map(str, [*numbers[:leading], numbers[leading] + 1]))


def _tilde_end(version: str) -> str:
    numbers = _numbers(version)[:2]
    return ".".join(map(str, [*numbers[:-1], numbers[-1] + 1]))
