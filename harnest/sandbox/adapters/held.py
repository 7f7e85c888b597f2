"""A managed sandbox in the hands of a framework, which may copy its objects at will."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from harnest.sandbox.runtime import ManagedSandbox

__all__ = ["Held"]


class Held:
    """Shared by all copies of a framework's object; the provider is closed with the last one.

    Args:
        managed: What the copies run code in.
    """

    __slots__ = ("__weakref__", "managed")

    managed: ManagedSandbox

    def __init__(self, managed: ManagedSandbox) -> None:
        self.managed = managed
        weakref.finalize(self, managed.close)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
