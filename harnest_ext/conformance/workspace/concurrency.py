"""Concurrency: calls run side by side and share the work directory, nothing else."""

from __future__ import annotations

import asyncio

from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("concurrency")

MEETING = """\
import pathlib, time
pathlib.Path('here-{me}').touch()
limit = time.monotonic() + 20
while not pathlib.Path('here-{other}').exists() and time.monotonic() < limit:
    time.sleep(0.01)
print({me}, pathlib.Path('here-{other}').exists())
"""


@GROUP.promise("parallel")
async def parallel(bench: WorkspaceBench) -> None:
    """Two calls run at the same time: each can wait for the other."""
    async with bench.workspace() as workspace:
        results = await asyncio.gather(
            workspace.execute(MEETING.format(me=1, other=2)),
            workspace.execute(MEETING.format(me=2, other=1)),
        )
        expect("stdout", [item.stdout for item in results], ["1 True\n", "2 True\n"])


@GROUP.promise("code")
async def code(bench: WorkspaceBench) -> None:
    """Calls at the same time run each its own code and get each its own output."""
    async with bench.workspace() as workspace:
        calls = [workspace.execute(f"import time; time.sleep(0.1); print({n})") for n in range(6)]
        results = await asyncio.gather(*calls)
        expect("stdout", [item.stdout for item in results], [f"{n}\n" for n in range(6)])


@GROUP.promise("input")
async def inputs(bench: WorkspaceBench) -> None:
    """Calls at the same time read each its own input."""
    async with bench.workspace() as workspace:
        calls = [workspace.execute_command("sleep 0.1; cat", stdin=b"%d" % n) for n in range(6)]
        results = await asyncio.gather(*calls)
        expect("stdout", [item.stdout for item in results], [f"{n}" for n in range(6)])


@GROUP.promise("workspaces")
async def workspaces(bench: WorkspaceBench) -> None:
    """Two workspaces have directories of their own, and closing one leaves the other alone."""
    async with bench.workspace() as first:
        async with bench.workspace() as second:
            await second.execute_command("touch there")
            listed = await first.execute_command("ls")
            expect("files of the first", listed.stdout, "")
        expect("the first", (await first.execute_command("echo on")).stdout, "on\n")
