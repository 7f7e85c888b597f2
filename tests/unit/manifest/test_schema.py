"""The JSON Schema of the manifest: generated, shipped, and of one mind with the reader."""

from __future__ import annotations

import json
import re
from pathlib import Path

from harnest_ext.manifest.capabilities import CAPABILITIES
from harnest_ext.manifest.keys import MANIFEST, METADATA
from harnest_ext.manifest.schema import manifest_schema

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "extension.schema.json"


def test_the_shipped_schema_is_the_generated_one() -> None:
    """docs/reference/extension.schema.json is written by python -m harnest_ext.manifest.schema."""
    assert json.loads(PAGE.read_text("utf-8")) == manifest_schema()


def test_the_schema_has_every_key_and_no_other() -> None:
    """Unknown keys are errors to the schema as they are to the reader."""
    schema = manifest_schema()
    assert schema["additionalProperties"] is False
    assert schema["properties"].keys() == MANIFEST.keys.keys()  # type: ignore[attr-defined]
    assert schema["required"] == ["apiVersion", "kind", "metadata", "runtime"]


def test_the_schema_lists_the_vocabulary() -> None:
    """An editor can offer the capabilities."""
    items = MANIFEST.keys["capabilities"].schema["items"]
    assert items == {"enum": sorted(CAPABILITIES)}


def test_names_in_the_schema_are_the_names_of_the_reader() -> None:
    """The pattern of names tells good from bad as slugs do, reserved words aside."""
    pattern = re.compile(str(METADATA.keys["name"].schema["pattern"]))
    good = {
        name for name in ("demo", "a", "a_b", "a1", "_a", "a__b", "A", "1a") if pattern.match(name)
    }
    assert good == {"demo", "a", "a_b", "a1"}
