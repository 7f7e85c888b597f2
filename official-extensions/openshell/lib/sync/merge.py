"""Which side of a file wins: pure rules, by content and never by time.

The baseline is what both sides held when they last agreed. A side that differs from it has changed;
where both have, nothing is overwritten.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = ["Content", "Deed", "after_change", "after_deletion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a regular file holds.

    Attributes:
        digest: SHA-256 of its bytes, in hex.
        executable: Whether it may be executed.
    """

    digest: str
    executable: bool = False


class Deed(enum.StrEnum):
    """What is to be done on the host."""

    NOTHING = "nothing"
    WRITE = "write"
    SAVE_BESIDE = "save beside"
    DELETE = "delete"
    KEEP = "keep"


def after_change(remote: Content, base: Content | None, local: Content | str | None) -> Deed:
    """Return what to do with a file that is new or changed in the sandbox.

    Args:
        remote: What it holds there.
        base: What both sides held; None if there was no such file.
        local: What it holds on the host: None if it is not there, a text if it is no regular file.
    """
    if local == remote:
        return Deed.NOTHING
    return Deed.WRITE if local == base else Deed.SAVE_BESIDE


def after_deletion(base: Content, local: Content | str | None) -> Deed:
    """Return what to do with a file that is no longer in the sandbox.

    Args:
        base: What both sides held.
        local: What it holds on the host, as for :func:`after_change`.
    """
    if local is None:
        return Deed.NOTHING
    return Deed.DELETE if local == base else Deed.KEEP
