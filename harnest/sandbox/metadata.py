"""Metadata of a declaration, request or result: JSON-like data that nobody can change afterwards.

Accepted are None, str, bool, int, finite float, and mappings with str keys, lists and tuples of
these. What is stored is a deep copy of plain types: mappings become :class:`FrozenMetadata`,
sequences tuples. Unlike a ``MappingProxyType`` it pickles, deep-copies and hashes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from harnest.sandbox import limits
from harnest.sandbox.frozen import FrozenMapping

__all__ = ["FrozenMetadata", "freeze_metadata", "sandbox_metadata_to_dict"]


class FrozenMetadata(FrozenMapping[Any]):
    """A read-only mapping of metadata: a frozen deep copy of plain types.

    Args:
        items: JSON-like data, at most :data:`~harnest.sandbox.limits.METADATA_DEPTH` levels deep
            and :data:`~harnest.sandbox.limits.METADATA_BYTES` bytes as compact JSON.

    Raises:
        TypeError: It is no mapping, or holds a key or value of another type.
        ValueError: A number is not finite, or it contains itself, or is too deep or too large.
    """

    __slots__ = ()

    def __init__(self, items: Mapping[str, Any]) -> None:
        if not isinstance(items, Mapping):
            raise TypeError(f"metadata must be a mapping, not {type(items).__name__}")
        frozen = _Freezer().items(items)
        _check_size(frozen)
        super().__init__(frozen)

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenMetadata, (sandbox_metadata_to_dict(self),))


class _Freezer:
    """One walk over the data: bounds nesting and size before anything large is copied."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._bytes = 0

    def items(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        self._enter(value)
        frozen: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"metadata keys must be str, not {type(key).__name__}")
            frozen[self._text(key)] = self._any(item)
        self._open.discard(id(value))
        return frozen

    def _any(self, value: object) -> object:
        if value is None or isinstance(value, bool):
            self._add(4)
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float):
            return self._number(value)
        if isinstance(value, Mapping):
            return _checked(self.items(value))
        if isinstance(value, list | tuple):
            return self._sequence(value)
        raise TypeError(f"metadata can't hold {type(value).__name__}")

    def _sequence(self, value: list[Any] | tuple[Any, ...]) -> tuple[Any, ...]:
        self._enter(value)
        frozen = tuple([self._any(item) for item in value])
        self._open.discard(id(value))
        return frozen

    def _text(self, value: str) -> str:
        self._add(len(value) + 2)
        return str.__str__(value)  # a subclass could carry state of its own

    def _number(self, value: float) -> int | float:
        self._add(1)
        if isinstance(value, int):
            return int.__int__(value)
        if not math.isfinite(value):
            raise ValueError("metadata numbers must be finite")
        return float.__float__(value)

    def _enter(self, value: object) -> None:
        if id(value) in self._open:
            raise ValueError("metadata must not contain itself")
        if len(self._open) >= limits.METADATA_DEPTH:
            raise ValueError(f"metadata is nested deeper than {limits.METADATA_DEPTH} levels")
        self._open.add(id(value))
        self._add(2)

    def _add(self, least: int) -> None:
        # A lower bound of the JSON size, so that shared sub-trees can't multiply without end.
        self._bytes += least
        if self._bytes > limits.METADATA_BYTES:
            raise ValueError(f"metadata is larger than {limits.METADATA_BYTES} bytes as JSON")


def freeze_metadata(value: Mapping[str, Any]) -> FrozenMetadata:
    """Return ``value`` frozen, itself if it is so already.

    Args:
        value: JSON-like data, see :class:`FrozenMetadata`.

    Raises:
        TypeError: As :class:`FrozenMetadata`.
        ValueError: As :class:`FrozenMetadata`.
    """
    if isinstance(value, FrozenMetadata):
        return value
    return FrozenMetadata(value)


def sandbox_metadata_to_dict(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return frozen metadata as new plain dicts and lists, ready for ``json.dumps``.

    Args:
        metadata: The metadata of a request, result or declaration.
    """
    return {key: _thaw(value) for key, value in metadata.items()}


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sandbox_metadata_to_dict(value)
    if isinstance(value, list | tuple):
        return [_thaw(item) for item in value]
    return value


def _checked(items: dict[str, Any]) -> FrozenMetadata:
    made = object.__new__(FrozenMetadata)
    object.__setattr__(made, "_items", items)
    return made


def _check_size(items: dict[str, Any]) -> None:
    if not items:
        return
    import json  # noqa: PLC0415 - most values carry no metadata and then don't pay for it

    text = json.dumps(sandbox_metadata_to_dict(items), ensure_ascii=False, separators=(",", ":"))
    if len(text.encode("utf-8", "surrogatepass")) > limits.METADATA_BYTES:
        raise ValueError(f"metadata is larger than {limits.METADATA_BYTES} bytes as JSON")
