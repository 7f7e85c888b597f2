"""Ending: a call that is over leaves nothing running."""

from __future__ import annotations

from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace.cancelling import BEATS
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("ending")

DETACHED = """\
import os, time
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(writer, b'x')
        while True:
            with open('beat', 'a') as file:
                file.write('x')
            time.sleep(0.02)
    os._exit(0)
os.read(reader, 1)
print('done')
"""


@GROUP.promise("background")
async def background(bench: WorkspaceBench) -> None:
    """A background job does not survive a normal exit, nor delay it."""
    async with bench.workspace() as workspace:
        call = workspace.execute_command(f"({BEATS}) & while [ ! -s beat ]; do :; done; echo done")
        result = await bench.within("a call that is done", call)
        expect("outcome", (result.stdout, result.exit_code), ("done\n", 0))
        await bench.silent(workspace.directory)


@GROUP.promise("detached", needs=[WorkspaceFeature.DESCENDANTS])
async def detached(bench: WorkspaceBench) -> None:
    """A process in a session of its own does not survive a normal exit either."""
    async with bench.workspace() as workspace:
        result = await bench.within("a call that is done", workspace.execute(DETACHED))
        expect("outcome", (result.stdout, result.exit_code), ("done\n", 0))
        await bench.silent(workspace.directory)


@GROUP.promise("deadline")
async def deadline(bench: WorkspaceBench) -> None:
    """At a deadline background jobs end too."""
    async with bench.workspace() as workspace:
        command = f"({BEATS}) & sleep 600"
        result = await bench.late(
            workspace, lambda seconds: workspace.execute_command(command, timeout=seconds), "beat"
        )
        expect("timed out", result.timed_out, wanted=True)
        await bench.silent(workspace.directory)
