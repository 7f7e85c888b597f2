"""The workspace suite, check by check, on a real daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from docker_profile import WORKSPACE

from harnest_ext.conformance import (
    CheckOutcome,
    run_workspace_check,
    workspace_checks,
)

if TYPE_CHECKING:
    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.workspace_bench import WorkspaceBench

APPLY = [check for check in workspace_checks() if check.needs <= WORKSPACE.supports]


@pytest.mark.docker
@pytest.mark.parametrize("check", APPLY, ids=lambda check: check.name)
def test_every_promise_of_a_workspace_holds(daemon: None, check: Check[WorkspaceBench]) -> None:
    """Each promise of a tier is kept by this one."""
    result = run_workspace_check(check, WORKSPACE)
    assert result.outcome is CheckOutcome.PASSED, result.detail
