"""Which names and paths are the same, and safe, on every system."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.package.rules import tree as rules

if TYPE_CHECKING:
    from harnest_ext.problem import Problem

__all__ = ["folded", "path_problem"]

_PLAIN = re.compile(r"[A-Za-z0-9_+=@,()\[\]{}!#$%&';^`~-]+(?:\.[A-Za-z0-9_+-]+)*", re.ASCII)
_FORBIDDEN = frozenset('\\:*?"<>|')
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789\u00b9\u00b2\u00b3"}
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")


def folded(path: str) -> str:
    """Return ``path`` in the form in which case-insensitive and normalising systems compare it."""
    if path.isascii():
        return path.lower()
    once = unicodedata.normalize("NFC", path).casefold()
    return unicodedata.normalize("NFC", once)


def path_problem(path: str) -> Problem | None:
    """Return the first thing that is wrong with a path inside a package, or None.

    Args:
        path: Components with ``/`` between them, no trailing ``/``; may hold anything.
    """
    if not path or path.startswith("/"):
        what = "An absolute path" if path else "An empty path"
        return rules.PATH_SYNTAX.problem(
            f"{what} does not name a place inside the package.", path=path or "(empty)"
        )
    components = path.split("/")
    if len(components) > limits.PATH_DEPTH:
        return rules.DEPTH.problem(
            "A path is too deep.",
            path=path,
            expected=f"at most {limits.PATH_DEPTH} components",
            got=f"{len(components)} components",
        )
    size = _utf8_size(path)
    if size > limits.PATH_BYTES:
        return rules.PATH_LENGTH.problem(
            "A path is too long.",
            path=path,
            expected=f"at most {limits.PATH_BYTES} bytes",
            got=f"{size} bytes",
        )
    for component in components:
        problem = _component_problem(path, component)
        if problem:
            return problem
    return None


def _component_problem(path: str, name: str) -> Problem | None:
    if name in {"", ".", ".."}:
        return rules.PATH_SYNTAX.problem(
            "A path has an empty, '.' or '..' component.", path=path, got=name or "(empty)"
        )
    size = _utf8_size(name)
    if size > limits.COMPONENT_BYTES:
        return rules.PATH_LENGTH.problem(
            "A name is too long.",
            path=path,
            expected=f"at most {limits.COMPONENT_BYTES} bytes",
            got=f"{size} bytes",
        )
    reason = _objection(name)
    if not reason:
        return None
    return rules.COMPONENT.problem(f"A name {reason}.", path=path, got=name)


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=4096)
def _objection(name: str) -> str:
    """Why a name is not portable, or nothing; most names of one command come again and again."""
    if name.split(".", 1)[0].rstrip(" ").lower() in _DEVICES:
        return "is reserved for a device on Windows"
    if _PLAIN.fullmatch(name):
        return ""
    if name[-1] in ". ":
        return "ends in a dot or a space, which some systems drop"
    forbidden = next((ch for ch in name if ch in _FORBIDDEN), "")
    if forbidden:
        return f"holds {forbidden!r}, which is not portable"
    hidden = next((ch for ch in name if _is_hidden(ch)), "")
    if hidden:
        return f"holds U+{ord(hidden):04X}, which does not show or is not text"
    return ""


def _is_hidden(ch: str) -> bool:
    if ch.isascii():
        return not ch.isprintable()
    return (
        unicodedata.category(ch) in _HIDDEN_CATEGORIES
        or ch in _HIDDEN_LETTERS
        or 0xFE00 <= ord(ch) <= 0xFE0F
        or 0x180B <= ord(ch) <= 0x180F
        or 0xE0000 <= ord(ch) <= 0xE0FFF
    )
