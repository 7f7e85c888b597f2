"""Closing: what runs is ended, what was made is removed, what was given stays."""

from __future__ import annotations

import asyncio

from harnest.execution import TierUnavailableError, WorkspaceClosedError
from harnest_ext.conformance.checks import expect, expect_raises
from harnest_ext.conformance.workspace.cancelling import BEATS
from harnest_ext.conformance.workspace.raising import raises
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("closing")


@GROUP.promise("removed", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def removed(bench: WorkspaceBench) -> None:
    """A private work directory goes, whatever programs did to it."""
    async with bench.workspace() as workspace:
        directory = workspace.directory
        await workspace.execute_command("mkdir -p a/b; touch a/b/c; chmod 0 a/b a; ln -s / root")
    expect_raises("the directory", FileNotFoundError, directory.lstat)


@GROUP.promise("kept", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def kept(bench: WorkspaceBench) -> None:
    """A work directory of the caller's stays, with what programs wrote, for the next workspace."""
    mine = bench.directory()
    async with bench.workspace(directory=mine) as workspace:
        await workspace.execute_command("echo text > file")
    expect("content", (mine / "file").read_text(), "text\n")
    async with bench.workspace(directory=mine) as workspace:
        expect("stdout", (await workspace.execute_command("cat file")).stdout, "text\n")


@GROUP.promise("running", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def running(bench: WorkspaceBench) -> None:
    """A call that runs while the workspace is closed is ended, and told so."""
    mine = bench.directory()
    async with bench.workspace(directory=mine) as workspace:
        task = asyncio.create_task(workspace.execute_command(BEATS))
        await bench.beating(workspace)
        await bench.within("closing", workspace.close())
        await raises("the call", WorkspaceClosedError, task)
        await bench.silent(mine)


@GROUP.promise("after")
async def after(bench: WorkspaceBench) -> None:
    """Before it is open and after it was closed a workspace runs nothing; closing twice is fine."""
    workspace = bench.workspace()
    await raises("a call before", WorkspaceClosedError, workspace.execute("print(1)"))
    async with workspace:
        await workspace.execute("print(1)")
    await workspace.close()
    await raises("a call after", WorkspaceClosedError, workspace.execute_command("echo"))
    await raises("a second start", WorkspaceClosedError, workspace.start())


@GROUP.promise("no-fallback")
async def no_fallback(bench: WorkspaceBench) -> None:
    """A workspace whose shell does not exist fails before anything runs."""
    marker = bench.folder / "marker"
    workspace = bench.workspace(shell="/nonexistent/sh")  # noqa: S604 - an option of ours
    try:
        await workspace.start()
        result = await workspace.execute_command(f"touch '{marker}'")
        expect("succeeded", result.exit_code == 0, wanted=False)
    except TierUnavailableError:
        await raises("a call", WorkspaceClosedError, workspace.execute_command("echo"))
    finally:
        await workspace.close()
    expect("marker", marker.exists(), wanted=False)
