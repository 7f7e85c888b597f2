"""Environment variables that nobody can change, and whose values nobody prints by accident.

Unlike a ``MappingProxyType`` they pickle, copy and hash, and with them whatever holds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["Variables"]


class Variables(Mapping[str, str]):
    """A read-only mapping of names to values; its representation tells only how many there are.

    Args:
        items: The variables, checked before; a copy is kept.
    """

    __slots__ = ("_items",)

    _items: dict[str, str]

    def __init__(self, items: Mapping[str, str]) -> None:
        object.__setattr__(self, "_items", dict(items))

    def __getitem__(self, name: str) -> str:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("environment variables are read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("environment variables are read-only")

    def __repr__(self) -> str:
        return f"<Variables: {len(self._items)}>"

    def __reduce__(self) -> tuple[type[Variables], tuple[dict[str, str]]]:
        return Variables, (dict(self._items),)

    def __copy__(self) -> Variables:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Variables:
        return self
