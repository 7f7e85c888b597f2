"""The JSON Schema of a manifest, generated from the table of its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manifest.keys import MANIFEST

if TYPE_CHECKING:
    from harnest_ext.manifest.keys import MappingShape

__all__ = ["manifest_schema"]


def manifest_schema() -> dict[str, object]:
    """Return the JSON Schema (2020-12) of ``extension.yaml``, for editors and other tools.

    It says what a schema can say; rules between keys and files are those of the reader.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "extension.yaml of a Harnest extension",
        **_mapping(MANIFEST),
    }


def _mapping(shape: MappingShape) -> dict[str, object]:
    properties: dict[str, object] = {}
    for name, key in shape.keys.items():
        value = _mapping(key.mapping) if key.mapping else dict(key.schema)
        properties[name] = {"description": key.summary, **value}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": sorted(name for name, key in shape.keys.items() if key.required),
        "properties": properties,
    }


if __name__ == "__main__":
    import json
    import sys

    sys.stdout.write(json.dumps(manifest_schema(), indent=2) + "\n")
