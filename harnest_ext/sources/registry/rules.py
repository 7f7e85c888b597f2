"""Rules of registries. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = ["CATALOG", "ENTRY", "MISSING", "NO_REGISTRY", "STALE"]

ENTRY = Rule(
    id="registry.entry",
    kind="registry-protocol",
    why="A registry is data that people review; what it says must be said in the agreed way.",
    example="A release without a sha256.",
    fix="Mend the registry's file as its JSON Schema says, or tell whoever keeps it.",
)
CATALOG = Rule(
    id="registry.catalog",
    kind="registry-protocol",
    why="A catalog that can't be read names nothing that could be trusted.",
    example="harnest.json of another format version.",
    fix="Check the URL of the registry, or tell whoever keeps it.",
)
MISSING = Rule(
    id="registry.missing-file",
    kind="not-found",
    why="A release is installed from the wheel that its registry holds.",
    example="wheels/harnest_extension_docker-1.0.0-py3-none-any.whl is not there.",
    fix="Tell whoever keeps the registry; in a clone of Harnest, run scripts/update-registry.",
)
NO_REGISTRY = Rule(
    id="registry.no-registry",
    kind="not-found",
    why="A registry that was asked for by name must be there, or the wrong one answers.",
    example="--registry ./catalog, when there is no such folder.",
    fix="Check the path or URL of the registry.",
)
STALE = Rule(
    id="registry.stale",
    kind="hash-mismatch",
    why="What ships must be what was reviewed: the wheels that are built must have the hashes that "
    "the registry names.",
    example="official-extensions/docker was changed, registry/extensions/docker.toml was not.",
    fix="Run scripts/update-registry, review the difference, and commit it.",
)
