"""The ``contributes`` part of a manifest: folders of content, none outside or twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.manifest import keys, rules

if TYPE_CHECKING:
    from harnest_ext.manifest.nodes import Node, TextNode
    from harnest_ext.manifest.shapes import Reader

__all__ = ["read_contributions", "reserved_root"]

_PART = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_RESERVED = frozenset(
    {
        "build",
        "changelog.md",
        "dist",
        "docs",
        "examples",
        "extension.py",
        "extension.yaml",
        "extension.yml",
        "harnest",
        "lib",
        "py.typed",
        "pyproject.toml",
        "readme.md",
        "tests",
        "venv",
    }
)
_EXPECTED = "a folder inside the package, such as tools or content/tools"


def reserved_root(name: str) -> bool:
    """Return whether a first path part has another meaning in a package than content."""
    plain = name.lower()
    return plain in _RESERVED or plain.startswith("license") or plain.endswith(".egg-info")


def read_contributions(reader: Reader, node: Node | None) -> dict[str, tuple[str, ...]]:
    """Return the folders of each kind of content; everything wrong with them is reported."""
    folders: dict[str, tuple[str, ...]] = {}
    taken: list[TextNode] = []
    for kind, value in reader.mapping(node, "contributes", keys.CONTRIBUTES).items():
        name = f"contributes.{kind}"
        count = len(reader.problems)
        items = tuple(reader.texts(value, name))
        if not items and len(reader.problems) == count:
            reader.report(rules.SHAPE, value, f"{name} is empty.", expected="at least one folder")
        good = [item for item in items if _is_good(reader, item, name)]
        for item in good:
            _disjoint(reader, item, taken)
            taken.append(item)
        folders[kind] = tuple(item.text for item in good)
    return folders


def _is_good(reader: Reader, item: TextNode, name: str) -> bool:
    reason = _objection(item.text)
    if reason:
        message = f"A folder of {name} is not usable: {reason}."
        reader.report(rules.CONTRIBUTION, item, message, expected=_EXPECTED, got=item.text)
    return not reason


def _objection(path: str) -> str:
    parts = path.split("/")
    if len(path) > limits.PATH_BYTES or len(parts) > limits.PATH_DEPTH:
        return "it is too long"
    if not all(_PART.fullmatch(part) for part in parts):
        return "its parts are not all of [A-Za-z0-9_.-]"
    if any(part in {".", ".."} or part.endswith(".") for part in parts):
        return "a part ends in a dot"
    if parts[0][0] in "._":
        return "it begins with '.' or '_', which is never copied"
    if reserved_root(parts[0]):
        return f"{parts[0]!r} has another meaning in a package"
    return ""


def _disjoint(reader: Reader, item: TextNode, taken: list[TextNode]) -> None:
    own = f"{item.text.lower()}/"
    for other in taken:
        theirs = f"{other.text.lower()}/"
        if own.startswith(theirs) or theirs.startswith(own):
            message = f"{item.text!r} overlaps {other.text!r} of line {other.line}."
            reader.report(rules.OVERLAP, item, message, got=item.text)
