"""What the conformance suites refuse before they try anything."""

from __future__ import annotations

from typing import Final

from harnest_ext.rule import Rule

__all__ = ["ALL", "NOT_FOUND", "PROFILE", "REPORT", "TARGET"]

_EXPECTED: Final = "Name it as module:attribute, importable from the current folder."

TARGET: Final = Rule(
    id="conformance.target",
    kind="usage",
    why="The suite needs a provider to try: a ProviderProfile, a function that returns one or a "
    "provider, or a Sandbox.",
    example="harnest extensions test --provider mypkg",
    fix=_EXPECTED,
)
NOT_FOUND: Final = Rule(
    id="conformance.missing",
    kind="not-found",
    why="A provider that can't be imported can't be tried.",
    example="pytest --harnest-provider mypkg:no_such_name",
    fix=_EXPECTED,
)
PROFILE: Final = Rule(
    id="conformance.profile",
    kind="load-failed",
    why="_tests/conformance.py of an extension says how what it brings is tried.",
    example="a file that exports no PROFILE, or raises",
    fix="Export PROFILE, a ProviderProfile, or WORKSPACE, a WorkspaceProfile; the "
    "template sandbox-provider has an example.",
)
REPORT: Final = Rule(
    id="conformance.report",
    kind="io-error",
    why="A report that can't be written would be missed by whoever waits for it.",
    example="--junit reports/junit.xml in a project without the folder reports",
    fix="Make the folder first, and be allowed to write to it.",
)

ALL: Final = (NOT_FOUND, PROFILE, REPORT, TARGET)
"""Every rule of this package, for the reference."""
