"""The JSON Schema of ``extensions/<slug>.toml``, as data, and the part of the language it uses.

One table both ships as ``registry/schema.json``, for editors and reviewers, and decides here what
is read; so the two can't drift apart. No library is needed for it: a look-up in the registry that
ships must not cost the import of one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from harnest_ext import limits
from harnest_ext.manifest import CAPABILITIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ENTRY", "RELEASE", "violations"]

_LINE: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": 300,
    "pattern": "^[^\\x00-\\x1f\\x7f]+$",
}
_TEXT: Final = {"type": "string", "maxLength": 300, "pattern": "^[^\\x00-\\x1f\\x7f]*$"}

RELEASE: Final[dict[str, Any]] = {
    "type": "object",
    "description": "One release: a wheel, and what it demands.",
    "additionalProperties": False,
    "required": ["version", "file", "size", "sha256"],
    "properties": {
        "version": _LINE | {"description": "PEP 440 version in normal form."},
        "file": _LINE | {"description": "Name of the wheel in the registry's wheels/."},
        "size": {
            "type": "integer",
            "minimum": 1,
            "maximum": limits.WHEEL_BYTES,
            "description": "Bytes of the wheel.",
        },
        "sha256": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "Hex digest of the wheel.",
        },
        "host": _TEXT | {"description": "Range of Harnest versions; empty for any."},
        "python": _TEXT | {"description": "Range of Python versions; empty for any."},
        "requires": {
            "type": "array",
            "maxItems": limits.REQUIREMENTS,
            "items": _LINE,
            "description": "Other extensions, such as rag>=0.1,<1.",
        },
        "capabilities": {
            "type": "array",
            "items": {"enum": sorted(CAPABILITIES)},
            "description": "What it declares to use or provide.",
        },
        "yanked": _LINE | {"description": "Why it was withdrawn; absent when it was not."},
    },
}

ENTRY: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "An extension in a registry of Harnest",
    "type": "object",
    "additionalProperties": False,
    "required": ["slug", "project", "summary", "trust", "maintainers", "releases"],
    "properties": {
        "slug": _LINE | {"description": "Name of the extension, and of the file."},
        "project": _LINE | {"description": "Name of its distribution."},
        "summary": _LINE | {"description": "One line on what it does."},
        "trust": {
            "enum": ["official", "community"],
            "description": "official when the makers of Harnest keep it.",
        },
        "documentation": _TEXT | {"description": "Where to read about it."},
        "source": _TEXT | {"description": "Where its source lies."},
        "maintainers": {
            "type": "array",
            "minItems": 1,
            "items": _LINE,
            "description": "Who keeps it.",
        },
        "releases": {
            "type": "array",
            "items": RELEASE,
            "description": "The newest last; a version at most once.",
        },
    },
}

_TYPES: Final[Mapping[str, type]] = {"string": str, "integer": int, "array": list, "object": dict}


def violations(
    value: object, schema: Mapping[str, Any], where: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield each place where a value breaks a schema, with what is wrong there.

    Args:
        value: What TOML or JSON gave.
        schema: One of the tables above, or a part of one.
        where: Place of the value, its parts separated by dots.
    """
    if "enum" in schema:
        if not isinstance(value, str) or value not in schema["enum"]:
            yield where, f"it is none of {', '.join(schema['enum'])}"
        return
    kind = _TYPES[schema["type"]]
    if not isinstance(value, kind) or isinstance(value, bool):
        yield where, f"it is not of type {schema['type']}"
    elif isinstance(value, str):
        yield from _text(value, schema, where)
    elif isinstance(value, int):
        if not schema["minimum"] <= value <= schema["maximum"]:
            yield where, f"it is not within {schema['minimum']} and {schema['maximum']}"
    elif isinstance(value, list):
        yield from _list(value, schema, where)
    elif isinstance(value, dict):
        yield from _table(value, schema, where)


def _text(value: str, schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    if len(value) < schema.get("minLength", 0):
        yield where, "it is empty"
    elif len(value) > schema.get("maxLength", len(value)):
        yield where, f"it has more than {schema['maxLength']} characters"
    elif not re.search(schema["pattern"], value) or value.endswith("\n"):
        yield where, f"it does not match {schema['pattern']}"


def _list(value: list[object], schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    if len(value) < schema.get("minItems", 0):
        yield where, "it is empty"
    if len(value) > schema.get("maxItems", len(value)):
        yield where, f"it has more than {schema['maxItems']} items"
        return
    for number, item in enumerate(value):
        yield from violations(item, schema["items"], f"{where}.{number}")


def _table(
    value: Mapping[str, object], schema: Mapping[str, Any], where: str
) -> Iterator[tuple[str, str]]:
    inside = f"{where}." if where else ""
    for key in schema["required"]:
        if key not in value:
            yield f"{inside}{key}", "it is missing"
    for key, item in value.items():
        if key in schema["properties"]:
            yield from violations(item, schema["properties"][key], f"{inside}{key}")
        else:
            yield f"{inside}{key}", "no such key is known"
