"""Output: bounded, whatever a program writes and however fast."""

from __future__ import annotations

from harnest_ext.conformance.checks import expect, refuse
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("output")

BUDGET = 10_000


@GROUP.promise("flood")
async def flood(bench: WorkspaceBench) -> None:
    """A program that never stops writing is ended at its budget, with what it wrote so far."""
    async with bench.workspace(max_output_bytes=BUDGET) as workspace:
        result = await bench.within("a flood", workspace.execute_command("yes"))
        expect("outcome", (result.truncated, result.exit_code), (True, None))
        expect("timed out", result.timed_out, wanted=False)
        expect("size", len(result.stdout_bytes), BUDGET)


@GROUP.promise("both")
async def both(bench: WorkspaceBench) -> None:
    """The budget is that of both streams together."""
    async with bench.workspace(max_output_bytes=BUDGET) as workspace:
        result = await workspace.execute_command("yes & yes >&2")
        size = len(result.stdout_bytes) + len(result.stderr.encode())
        refuse(f"{size} bytes are kept", if_true=size > BUDGET)
        expect("truncated", result.truncated, wanted=True)


@GROUP.promise("exact")
async def exact(bench: WorkspaceBench) -> None:
    """As much as the budget is kept whole and is not called truncated."""
    async with bench.workspace(max_output_bytes=BUDGET) as workspace:
        result = await workspace.execute(f"print('x' * {BUDGET - 1})")
        expect("outcome", (result.truncated, result.exit_code), (False, 0))
        expect("size", len(result.stdout_bytes), BUDGET)
