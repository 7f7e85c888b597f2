"""Each promise of a workspace, tried on this tier under its own name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harnest_ext.conformance import CheckOutcome, run_workspace_check, workspace_checks

if TYPE_CHECKING:
    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.workspace_bench import WorkspaceBench


@pytest.mark.skipif(sys.platform != "darwin", reason="sandbox-exec is macOS's")
@pytest.mark.parametrize("check", workspace_checks(), ids=lambda check: check.name)
def test_the_tier_keeps(check: Check[WorkspaceBench]) -> None:
    """The promise holds, or is declared as one that this tier doesn't make."""
    from .conformance import WORKSPACE  # noqa: PLC0415 - builds what only macOS has

    result = run_workspace_check(check, WORKSPACE)
    if result.outcome is CheckOutcome.UNSUPPORTED:
        pytest.skip(result.detail)
    assert result.outcome is CheckOutcome.PASSED, f"{check.promise}\n{result.detail}"
