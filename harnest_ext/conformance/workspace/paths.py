"""Paths: decided by what they lead to, not by their text."""

from __future__ import annotations

from functools import partial
from typing import Any

from harnest_ext.conformance.checks import expect, expect_raises
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("paths")


@GROUP.promise("inside", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def inside(bench: WorkspaceBench) -> None:
    """A path below the work directory becomes an absolute one on this host."""
    async with bench.workspace(file_tools="host") as workspace:
        base = str(workspace.directory)
        expect("relative", workspace.resolve_path("out/report.txt"), f"{base}/out/report.txt")
        expect("absolute", workspace.resolve_path(f"{base}/a"), f"{base}/a")
        expect("the directory", workspace.resolve_path("."), base)


@GROUP.promise("outside", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def outside(bench: WorkspaceBench) -> None:
    """A path that leads out, by itself or by a link that a program made, is refused."""
    async with bench.workspace() as workspace:
        await workspace.execute_command("ln -s /etc out; ln -s .. up; mkdir d; ln -s ../.. d/up")
        for path in ("../x", "/etc/passwd", "out", "out/passwd", "up/x", "d/up/x", "d/../../x"):
            expect_raises(path, PermissionError, partial(workspace.resolve_path, path))


@GROUP.promise("values")
async def values(bench: WorkspaceBench) -> None:
    """What is no path is refused."""
    async with bench.workspace() as workspace:
        resolve: Any = workspace.resolve_path
        for wrong in ("", "a\0b", None, 3, b"a"):
            expect_raises(repr(wrong), ValueError, partial(resolve, wrong))


@GROUP.promise("backend", needs=[WorkspaceFeature.BACKEND_FILES])
async def backend(bench: WorkspaceBench) -> None:
    """Where tools work inside, the path is one that programs can open, absolute links followed."""
    async with bench.workspace(file_tools="backend") as workspace:
        expect("owns", workspace.owns_filesystem, wanted=True)
        await workspace.execute_command('mkdir d; echo text > d/f; ln -s "$PWD/d" link')
        path = workspace.resolve_path("link/f")
        result = await workspace.execute_command(f"cat '{path}'")
        expect("stdout", result.stdout, "text\n")
        expect_raises("a link out", PermissionError, lambda: workspace.resolve_path("/etc/passwd"))
