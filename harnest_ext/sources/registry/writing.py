"""An entry as the text of ``extensions/<slug>.toml``: the same entry gives the same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnest_ext.sources.registry.model import RegistryEntry

__all__ = ["render_entry"]


def render_entry(entry: RegistryEntry) -> str:
    """Return the file of an entry, its keys in the order of the format, empty ones left out."""
    head = {key: value for key, value in entry.shape().items() if key != "releases"}
    lines = ["#:schema ../schema.json", *_pairs(head)]
    for release in entry.releases:
        lines += ["", "[[releases]]", *_pairs(release.shape())]
    return "\n".join(lines) + "\n"


def _pairs(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{key} = {_value(value)}"


def _value(value: object) -> str:
    """One value; JSON's spelling of numbers, texts and lists is TOML's too."""
    # DEL is the one character that JSON leaves as it is and TOML doesn't take.
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list) and len(text) > 80:
        return "[\n" + "".join(f"    {_value(item)},\n" for item in value) + "]"
    return text
