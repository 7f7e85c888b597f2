"""The keys of a manifest, with what each holds: the one table of reader and JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.manifest.capabilities import CAPABILITIES, CONTENT_KINDS
from harnest_ext.manifest.model import API_VERSION, ENTRYPOINT, KIND

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CONTRIBUTES", "MANIFEST", "METADATA", "REQUIRES", "RUNTIME", "Key", "MappingShape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a mapping.

    Attributes:
        summary: What it says.
        required: Whether a manifest without it is refused.
        schema: JSON Schema of its value; empty if ``mapping`` describes it.
        mapping: Shape of its value, if that is a mapping.
    """

    summary: str
    required: bool = False
    schema: Mapping[str, object] = field(default_factory=dict)
    mapping: MappingShape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingShape:
    """A mapping that has exactly these keys."""

    keys: Mapping[str, Key]


def _texts(item: Mapping[str, object], *, least: int = 0) -> dict[str, object]:
    return {
        "type": "array",
        "items": dict(item),
        "minItems": least,
        "maxItems": limits.MANIFEST_ITEMS,
        "uniqueItems": True,
    }


_NAME = {
    "type": "string",
    "pattern": "^[a-z](_?[a-z0-9])*$",
    "maxLength": limits.SLUG_CHARACTERS,
}
_VERSION = {
    "type": "string",
    "pattern": r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-_.+a-zA-Z0-9]*)$",
    "maxLength": limits.VERSION_CHARACTERS,
}
_FOLDER = {
    "type": "string",
    "pattern": r"^[A-Za-z0-9-][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*$",
    "maxLength": limits.PATH_BYTES,
}
_REQUIREMENT = {
    "type": "string",
    "pattern": "^[a-z](_?[a-z0-9])*",
    "maxLength": limits.REQUIREMENT_CHARACTERS,
}

METADATA = MappingShape(
    keys={
        "name": Key(summary="Name of the extension.", required=True, schema=_NAME),
        "version": Key(summary="Version of the extension.", required=True, schema=_VERSION),
        "summary": Key(summary="One line about it.", schema={"type": "string"}),
        "documentation": Key(summary="Where more is written.", schema={"type": "string"}),
    }
)
RUNTIME = MappingShape(
    keys={
        "entrypoint": Key(
            summary="Module and attribute that are loaded.",
            required=True,
            schema={"const": ENTRYPOINT},
        )
    }
)
REQUIRES = MappingShape(
    keys={
        "extensions": Key(
            summary="Other extensions, each a name with an optional PEP 440 range.",
            schema=_texts(_REQUIREMENT),
        )
    }
)
CONTRIBUTES = MappingShape(
    keys={
        kind: Key(summary=f"Folders that hold {kind} content.", schema=_texts(_FOLDER, least=1))
        for kind in CONTENT_KINDS
    }
)
MANIFEST = MappingShape(
    keys={
        "apiVersion": Key(
            summary="Version of this format.", required=True, schema={"const": API_VERSION}
        ),
        "kind": Key(summary="What the file describes.", required=True, schema={"const": KIND}),
        "metadata": Key(summary="Who it is.", required=True, mapping=METADATA),
        "runtime": Key(summary="What is loaded.", required=True, mapping=RUNTIME),
        "requires": Key(summary="What it needs.", mapping=REQUIRES),
        "contributes": Key(summary="Content for agents, by kind.", mapping=CONTRIBUTES),
        "capabilities": Key(
            summary="What it declares to use or provide.",
            schema=_texts({"enum": sorted(CAPABILITIES)}),
        ),
    }
)
