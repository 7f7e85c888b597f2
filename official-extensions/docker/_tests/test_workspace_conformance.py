"""The workspace suite, check by check, on a real daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from workspaces import IMAGE

from harnest_ext.conformance import (
    CheckOutcome,
    WorkspaceFeature,
    WorkspaceProfile,
    run_workspace_check,
    workspace_checks,
)

if TYPE_CHECKING:
    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.workspace_bench import WorkspaceBench

WITHOUT_NODE = frozenset(WorkspaceFeature) - {WorkspaceFeature.NODE}
PROFILE = WorkspaceProfile(
    name="docker",
    options={"tier": "docker", "image": IMAGE},
    supports=WITHOUT_NODE,
    why_not={WorkspaceFeature.NODE: "the test image holds no node"},
    owner=12_345,
    slack_seconds=2.0,
)
APPLY = [check for check in workspace_checks() if check.needs <= WITHOUT_NODE]


@pytest.mark.docker
@pytest.mark.parametrize("check", APPLY, ids=lambda check: check.name)
def test_every_promise_of_a_workspace_holds(daemon: None, check: Check[WorkspaceBench]) -> None:
    """Each promise of a tier is kept by this one."""
    result = run_workspace_check(check, PROFILE)
    assert result.outcome is CheckOutcome.PASSED, result.detail
