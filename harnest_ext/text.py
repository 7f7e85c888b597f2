"""Foreign text made safe to print.

Names, values and paths that come out of a package are data of somebody else's: a terminal escape
or a bidi override in them must not reach a terminal, a log or a JSON reader as such.
"""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str, limit: int = 200) -> str:
    r"""Return ``text`` with every non-printing character escaped and at most ``limit`` characters.

    Args:
        text: Any text, lone surrogates included.
        limit: Most characters of the result, at least 1; a cut is marked by ``...``.

    Returns:
        Text of printable characters only: ``"a\x1b[2Jb"`` becomes ``"a\\x1b[2Jb"``.
    """
    head = text[: limit + 1]
    shown = "".join(ch if ch.isprintable() else _escape(ch) for ch in head)
    if len(text) <= limit and len(shown) <= limit:
        return shown
    return shown[: max(1, limit - 3)] + "..."


def _escape(ch: str) -> str:
    return ch.encode("unicode_escape", "surrogatepass").decode("ascii")
