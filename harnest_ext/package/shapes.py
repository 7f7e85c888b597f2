"""The shapes of those ``[project]`` fields that only a build copies into a wheel's metadata."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from harnest_ext.package.rules import project as rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnest_ext.package.declared import Place
    from harnest_ext.package.findings import Findings

__all__ = ["check_shapes"]

_EXTRA = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,60}[A-Za-z0-9])?", re.ASCII)


def check_shapes(project: Mapping[str, Any], place: Place, findings: Findings) -> None:
    """Report fields that are not of the shape which the packaging standards give them.

    Args:
        project: The ``[project]`` table.
        place: The file, for messages.
        findings: Where problems go.
    """
    for key, (expected, is_good) in _SHAPES.items():
        if key in project and not is_good(project[key]):
            what = f"{key} is not {expected}."
            findings.add(place.problem(rules.FIELD, key, what, expected=expected))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_table_of_text(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _is_people(value: object) -> bool:
    return isinstance(value, list) and all(
        _is_table_of_text(item) and item.keys() <= {"name", "email"} for item in value
    )


def _is_text_or_table(value: object) -> bool:
    return isinstance(value, str) or _is_table_of_text(value)


def _is_extras(value: object) -> bool:
    return isinstance(value, dict) and all(_EXTRA.fullmatch(name) for name in value)


_SHAPES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "authors": ("a list of tables with name and email", _is_people),
    "classifiers": ("a list of texts", _is_texts),
    "description": ("text", _is_text),
    "gui-scripts": ("a table of text", _is_table_of_text),
    "keywords": ("a list of texts", _is_texts),
    "license": ("text, or a table of text", _is_text_or_table),
    "license-files": ("a list of texts", _is_texts),
    "maintainers": ("a list of tables with name and email", _is_people),
    "optional-dependencies": ("a table of lists, by names of extras", _is_extras),
    "readme": ("text, or a table of text", _is_text_or_table),
    "scripts": ("a table of text", _is_table_of_text),
    "urls": ("a table of text", _is_table_of_text),
}
