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
        raise _refusal(f"it is not TOML in UTF-8: {error}") from error
    for key in _TABLE.split("."):
        node = node.get(key, {})
        if not isinstance(node, dict):
            raise _refusal(f"`{key}` of [{_TABLE}] is not a table")
    return MappingProxyType({_slug(name): _wish(name, value) for name, value in node.items()})


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
    import tomlkit  # noqa: PLC0415 - only commands that change a user's file pay for it
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        document = tomlkit.parse(data)
        tool = document.setdefault("tool", tomlkit.table(is_super_table=True))
        harnest = tool.setdefault("harnest", tomlkit.table(is_super_table=True))
        table = harnest.setdefault("extensions", tomlkit.table())
        for name in gone:
            table.remove(name)
        for name, wish in changed.items():
            table[name] = _value(wish)
        text = document.as_string().encode()
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise _refusal(f"[{_TABLE}] can't be edited in place: {type(error).__name__}") from error
    expected = {**parse_wishes(data), **changed}
    if parse_wishes(text) != {n: w for n, w in expected.items() if n not in gone}:
        raise _refusal(f"[{_TABLE}] can't be edited in place: its spelling is too unusual")
    return text


def _value(wish: Wish) -> object:
    import tomlkit  # noqa: PLC0415 - as above

    if wish == Wish(version=wish.version):
        return wish.version or ANY_VERSION
    parts = ", ".join(f"{k} = {tomlkit.item(v).as_string()}" for k, v in wish_shape(wish).items())
    # Parsed rather than built, for the blanks inside the braces that people write.
    return tomlkit.parse(f"it = {{ {parts} }}\n")["it"]


def _slug(name: str) -> Slug:
    try:
        return Slug(name)
    except HarnestExtensionError as error:
        raise _refusal(f"[{_TABLE}] holds a name that is none: {name!r}") from error


def _wish(name: str, value: object) -> Wish:
    if isinstance(value, str):
        value = {"version": value}
    if not isinstance(value, dict):
        raise _refusal(f"[{_TABLE}] `{name}` is neither a range nor a table")
    texts = {key: value.get(key, "") for key in _TEXTS}
    flags = {key: value.get(key, False) for key in _FLAGS}
    typed = all(isinstance(text, str) for text in texts.values()) and all(
        isinstance(flag, bool) for flag in flags.values()
    )
    if not value or not typed or value.keys() - {*_TEXTS, *_FLAGS}:
        known = ", ".join((*_TEXTS, *_FLAGS))
        raise _refusal(f"[{_TABLE}] `{name}` is not a table of {known}")
    if texts["version"].strip() == ANY_VERSION:
        texts["version"] = ""
    try:
        return Wish(**texts, **flags)
    except ValueError as error:
        raise _refusal(f"[{_TABLE}] `{name}`: {error}") from error


def _refusal(reason: str) -> InvalidExtension:
    return InvalidExtension(
        rules.WISHES.problem(
            f"The agent's pyproject.toml is not usable: {reason}.",
            path=layout.PYPROJECT_NAME,
            expected=f'[{_TABLE}] with entries such as `docker = ">=0.5,<1"`',
        ),
        unchanged="The project was not changed.",
    )
