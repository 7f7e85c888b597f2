"""Every promise about tools that the workspace suite tries can be found broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.conformance import (
    CheckOutcome,
    WorkspaceFeature,
    WorkspaceProfile,
    run_workspace_check,
    workspace_checks,
)
from tests.fakes.engine import FakeTier, offer

if TYPE_CHECKING:
    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.workspace_bench import WorkspaceBench

CHECKS = [check for check in workspace_checks() if check.name.startswith("tools.")]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_tier_that_runs_nothing_is_found_out(
    check: Check[WorkspaceBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tier whose commands all succeed without doing anything breaks each promise."""
    offer(monkeypatch, FakeTier(), "bubblewrap")
    profile = WorkspaceProfile(
        name="idle",
        options={"tier": "bubblewrap"},
        supports=frozenset({WorkspaceFeature.BACKEND_FILES, WorkspaceFeature.HOST_DIRECTORY}),
    )
    result = run_workspace_check(check, profile)
    assert result.outcome is CheckOutcome.FAILED
    assert result.detail
