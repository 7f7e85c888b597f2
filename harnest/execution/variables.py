"""Environment variables that nobody can change, and whose values nobody prints by accident."""

from __future__ import annotations

from harnest.sandbox.frozen import FrozenMapping

__all__ = ["Variables"]


class Variables(FrozenMapping[str]):
    """A read-only mapping of names to values; its representation tells only how many there are."""

    __slots__ = ()
