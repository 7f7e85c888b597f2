"""A mapping that nobody can change, and whose values nobody prints by accident.

Unlike a ``MappingProxyType`` it pickles, copies and hashes, and with it whatever holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, Self, TypeVar

__all__ = ["FrozenMapping"]

_V = TypeVar("_V")


class FrozenMapping(Mapping[str, _V]):
    """A read-only mapping; its representation tells only how many entries it has.

    Args:
        items: The entries, checked before; a copy is kept.
    """

    __slots__ = ("_items",)

    _items: dict[str, _V]

    def __init__(self, items: Mapping[str, _V]) -> None:
        object.__setattr__(self, "_items", dict(items))

    def __getitem__(self, key: str) -> _V:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __repr__(self) -> str:
        # Values may be an application's secrets: the count is all that a log needs.
        return f"<{type(self).__name__}: {len(self._items)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self._items),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self
