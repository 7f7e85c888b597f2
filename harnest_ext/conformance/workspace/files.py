"""Files: what a call made is what is new or changed, by its exact name."""

from __future__ import annotations

import os

from harnest_ext.conformance.checks import expect, expect_raises
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("files")


@GROUP.promise("difference")
async def difference(bench: WorkspaceBench) -> None:
    """Only new and changed files are told, not those that were there or are gone."""
    async with bench.workspace() as workspace:
        first = await workspace.execute_command("mkdir d; echo 1 > d/old; echo 1 > kept; : > gone")
        expect("first", first.files_created, ("d/old", "gone", "kept"))
        second = await workspace.execute_command("rm gone; echo 22 > d/old; echo 1 > new; cat kept")
        expect("second", second.files_created, ("d/old", "new"))
        third = await workspace.execute_command("cat kept new > /dev/null")
        expect("third", third.files_created, ())


@GROUP.promise("names")
async def names(bench: WorkspaceBench) -> None:
    """Names with spaces, newlines, quotes, leading dashes and bytes that are no UTF-8 are exact."""
    wanted = ["-n", "a b", "it's", "new\nline", os.fsdecode(b"\xff\xfe"), "é"]
    async with bench.workspace() as workspace:
        code = (
            f"for name in {[os.fsencode(name) for name in wanted]!r}:\n    open(name, 'w').close()"
        )
        result = await workspace.execute(code)
        expect("files", result.files_created, tuple(sorted(wanted)))


@GROUP.promise("links")
async def links(bench: WorkspaceBench) -> None:
    """A link is no file, and what it leads to is not looked at."""
    async with bench.workspace() as workspace:
        result = await workspace.execute_command("ln -s /etc etc; ln -s /etc/passwd one; echo > f")
        expect("files", result.files_created, ("f",))


@GROUP.promise("owner", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def owner(bench: WorkspaceBench) -> None:
    """What programs leave, whatever its mode, can be read and removed by the caller."""
    async with bench.workspace() as workspace:
        await workspace.execute_command("umask 077; mkdir d; echo text > d/f; chmod 0 d")
        directory = workspace.directory
        (directory / "d").chmod(0o700)
        expect("content", (directory / "d" / "f").read_text(), "text\n")
    expect_raises("the directory after closing", FileNotFoundError, directory.lstat)
