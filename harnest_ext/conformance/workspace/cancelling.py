"""Cancelling: a cancelled task goes on only when nothing of its call runs any more."""

from __future__ import annotations

import asyncio

from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace.raising import raises
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

__all__ = ["BEATS", "GROUP"]

GROUP = WorkspaceGroup("cancelling")

WAITING = "while [ ! -e go ]; do sleep 0.05; done; echo done"
BEATS = "while echo x >> beat; do :; done"
"""Without a pause: to start one may take longer than a silence is listened to."""


@GROUP.promise("ends")
async def ends(bench: WorkspaceBench) -> None:
    """When CancelledError goes on, the command and what it started in the background are over."""
    async with bench.workspace() as workspace:
        task = asyncio.create_task(workspace.execute_command(f"({BEATS}) & {BEATS}"))
        await bench.beating(workspace)
        task.cancel()
        await bench.within("cancelling", raises("await", asyncio.CancelledError, task))
        await bench.silent(workspace.directory)


@GROUP.promise("twice")
async def twice(bench: WorkspaceBench) -> None:
    """A task that is cancelled twice ends its program before it goes on."""
    async with bench.workspace() as workspace:
        task = asyncio.create_task(workspace.execute_command(BEATS))
        await bench.beating(workspace)
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await bench.within("cancelling", raises("await", asyncio.CancelledError, task))
        await bench.silent(workspace.directory)


@GROUP.promise("timeout")
async def timeout(bench: WorkspaceBench) -> None:
    """A timeout of asyncio's around a call ends the program."""
    async with bench.workspace() as workspace:
        call = asyncio.wait_for(workspace.execute_command(BEATS), 1)
        await bench.within("a timeout of 1 s", raises("await", TimeoutError, call))
        await bench.silent(workspace.directory)


@GROUP.promise("alone")
async def alone(bench: WorkspaceBench) -> None:
    """Cancelling one call leaves another one of the workspace alone."""
    async with bench.workspace() as workspace:
        one = asyncio.create_task(workspace.execute_command(BEATS))
        other = asyncio.create_task(workspace.execute_command(WAITING))
        await bench.beating(workspace)
        one.cancel()
        await raises("await", asyncio.CancelledError, one)
        await workspace.execute_command("touch go")
        expect("stdout", (await other).stdout, "done\n")
