"""What the user asked for: the table `[tool.harnest.extensions]` of the agent's `pyproject.toml`.

Read with tomllib; edited with tomlkit, so that comments, order and formatting stay.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from harnest_ext import limits
from harnest_ext.errors import HarnestExtensionError, InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.store import layout, rules
from harnest_ext.store.reading import read_regular
from harnest_ext.toml_fault import key_line, toml_fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Wish", "edit_wishes", "parse_wishes", "read_wishes", "wish_shape"]

ANY_VERSION: Final = "*"
_TABLE: Final = "tool.harnest.extensions"
_TEXTS: Final = ("version", "path", "registry")
_FLAGS: Final = ("index", "link")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How the user asked for one extension.

    Attributes:
        version: PEP 440 range; empty for any.
        path: Folder or wheel, relative to the project, with ``/``; empty for a name.
        registry: Name of the registry that it must come from; empty for the usual order.
        index: True when it must come from the package index, whatever registries say.
        link: True when the checkout at ``path`` is run in place.
    """

    version: str = ""
    path: str = ""
    registry: str = ""
    index: bool = False
    link: bool = False

    def __post_init__(self) -> None:
        """Refuse wishes that contradict themselves."""
        if self.path and (self.registry or self.index):
            raise ValueError("a path comes from no registry and no index")
        if self.link and not self.path:
            raise ValueError("only a path can be linked")
        if self.registry and self.index:
            raise ValueError("a registry and the index exclude each other")


def read_wishes(path: Path) -> Mapping[Slug, Wish]:
    """Return the wishes of the `pyproject.toml` at ``path``, in their order; none if absent.

    Raises:
        InvalidExtension: kind ``project-invalid``.
        StoreError: kind ``io-error``.
    """
    return parse_wishes(read_regular(path, limits.METADATA_BYTES))


def parse_wishes(data: bytes | None) -> Mapping[Slug, Wish]:
    """Return the wishes that the content of a `pyproject.toml` holds.

    Raises:
        InvalidExtension: kind ``project-invalid``: not TOML, or the table breaks its schema.
    """
    if data is None:
        return MappingProxyType({})
    try:
        node: Any = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        fault = toml_fault(error, data)
        raise _refusal(fault.reason, line=fault.line, column=fault.column) from error
    for key in _TABLE.split("."):
        node = node.get(key, {})
        if not isinstance(node, dict):
            raise _refusal(f"`{key}` of [{_TABLE}] is not a table")
    wishes: dict[Slug, Wish] = {}
    for name, value in node.items():
        try:
            wishes[_slug(name)] = _wish(name, value)
        except (TypeError, ValueError) as error:
            line = key_line(data, _TABLE, name)
            raise _refusal(f"[{_TABLE}] {error}", line=line) from error
    return MappingProxyType(wishes)


def edit_wishes(
    data: bytes | None, *, put: Mapping[Slug, Wish], drop: frozenset[str] = frozenset()
) -> bytes:
    """Return ``data`` with wishes put in and dropped, everything else as it was.

    Args:
        data: Content of a `pyproject.toml`, or None to begin one.
        put: Wishes that stand in the table afterwards, in place of those of the same names.
        drop: Names that are not in it afterwards.

    Raises:
        InvalidExtension: kind ``project-invalid``, when ``data`` is not usable.
    """
    have = parse_wishes(data)
    changed = {name: wish for name, wish in put.items() if have.get(name) != wish}
    gone = [name for name in have if name in drop and name not in put]
    if not changed and not gone:
        return data or b""
    return _rewritten(data or b"", changed, gone)


def wish_shape(wish: Wish) -> dict[str, str | bool]:
    """Return the parts of ``wish`` that say something, in the order of the file format."""
    return {key: getattr(wish, key) for key in (*_TEXTS, *_FLAGS) if getattr(wish, key)}


def _rewritten(data: bytes, changed: dict[Slug, Wish], gone: list[Slug]) -> bytes:
    from harnest_ext.store.toml_edit import edited  # noqa: PLC0415 - few commands pay for it

    values = {str(name): wish_shape(wish) for name, wish in changed.items()}
    text = edited(data, _TABLE, put=values, drop=gone)
    expected = {n: w for n, w in {**parse_wishes(data), **changed}.items() if n not in gone}
    if text is None or parse_wishes(text) != expected:
        raise _refusal(f"[{_TABLE}] can't be edited in place: its spelling is too unusual")
    return text


def _slug(name: str) -> Slug:
    try:
        return Slug(name)
    except HarnestExtensionError as error:
        raise ValueError(f"holds a name that is none: {name!r}") from error


def _wish(name: str, value: object) -> Wish:
    if isinstance(value, str):
        value = {"version": value}
    if not isinstance(value, dict):
        raise TypeError(f"`{name}` is neither a range nor a table")
    texts = {key: value.get(key, "") for key in _TEXTS}
    flags = {key: value.get(key, False) for key in _FLAGS}
    typed = all(isinstance(text, str) for text in texts.values()) and all(
        isinstance(flag, bool) for flag in flags.values()
    )
    if not value or not typed or value.keys() - {*_TEXTS, *_FLAGS}:
        raise ValueError(f"`{name}` is not a table of {', '.join((*_TEXTS, *_FLAGS))}")
    if texts["version"].strip() == ANY_VERSION:
        texts["version"] = ""
    try:
        return Wish(**texts, **flags)
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from error


def _refusal(
    reason: str, *, line: int | None = None, column: int | None = None
) -> InvalidExtension:
    return InvalidExtension(
        rules.WISHES.problem(
            f"The agent's pyproject.toml is not usable: {reason}.",
            path=layout.PYPROJECT_NAME,
            line=line,
            column=column,
            expected=f'[{_TABLE}] with entries such as `docker = ">=0.5,<1"`',
        ),
        unchanged="The project was not changed.",
    )
