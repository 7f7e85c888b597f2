"""The workspace suite: every promise of an execution backend, tried on one tier."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Final

from harnest_ext.conformance.availability import unavailable
from harnest_ext.conformance.checks import named
from harnest_ext.conformance.report import CheckOutcome, CheckResult, SuiteReport
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup, tried

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.workspace_profile import WorkspaceProfile

__all__ = ["run_workspace_check", "run_workspace_suite", "workspace_checks"]

_GROUPS: Final = (
    "outcomes",
    "input",
    "deadlines",
    "cancelling",
    "ending",
    "concurrency",
    "code",
    "output",
    "files",
    "bounds",
    "paths",
    "access",
    "events",
    "tools",
    "closing",
)


def workspace_checks() -> tuple[Check[WorkspaceBench], ...]:
    """Return all checks in their order."""
    found: list[Check[WorkspaceBench]] = []
    for name in _GROUPS:
        group = import_module(f"harnest_ext.conformance.workspace.{name}").GROUP
        if isinstance(group, WorkspaceGroup):
            found.extend(group.checks)
    return tuple(found)


def run_workspace_suite(
    profile: WorkspaceProfile, *, only: Iterable[str] | None = None
) -> SuiteReport:
    """Try every check on a tier; one that can't run here fails once, as ``opening.available``.

    Args:
        profile: The tier.
        only: Names of checks, or beginnings of names that end in a dot; None for all.

    Raises:
        ValueError: ``only`` names no check.
    """
    chosen = named(workspace_checks(), only)
    if not chosen:
        raise ValueError("only names no check of the workspace suite")
    refused = unavailable(profile)
    if refused is not None:
        return refused
    return SuiteReport(
        suite="workspace",
        subject=profile.name,
        results=tuple(run_workspace_check(check, profile) for check in chosen),
    )


def run_workspace_check(check: Check[WorkspaceBench], profile: WorkspaceProfile) -> CheckResult:
    """Try one check on a tier; its own errors never end the suite."""
    missing = profile.missing(check.needs)
    if missing:
        return CheckResult.of(check, CheckOutcome.UNSUPPORTED, missing)
    start = time.monotonic()
    detail = tried(check, profile)
    outcome = CheckOutcome.FAILED if detail else CheckOutcome.PASSED
    return CheckResult.of(check, outcome, detail, time.monotonic() - start)
