"""Input: whole, byte by byte, and empty where there is none."""

from __future__ import annotations

import hashlib

from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("input")

LARGE = bytes(range(256)) * (5 * 1024 * 4)


@GROUP.promise("empty")
async def empty(bench: WorkspaceBench) -> None:
    """Without input a command and a program read an end of file at once."""
    async with bench.workspace() as workspace:
        command = await bench.within("reading no input", workspace.execute_command("cat; echo -"))
        expect("command", command.stdout, "-\n")
        program = await workspace.execute("import sys; print(repr(sys.stdin.read()))")
        expect("program", program.stdout, "''\n")


@GROUP.promise("bytes")
async def raw(bench: WorkspaceBench) -> None:
    """Input of any bytes arrives as it is."""
    async with bench.workspace() as workspace:
        result = await workspace.execute_command("cat", stdin=bytes(range(256)))
        expect("stdout", result.stdout_bytes, bytes(range(256)))


@GROUP.promise("large")
async def large(bench: WorkspaceBench) -> None:
    """Input of 5 MB arrives whole in a single file."""
    async with bench.workspace() as workspace:
        result = await workspace.execute_command("cat > file; sha256sum < file", stdin=LARGE)
        expect("digest", result.stdout.split()[0], hashlib.sha256(LARGE).hexdigest())
        expect("size", (workspace.directory / "file").stat().st_size, len(LARGE))


@GROUP.promise("unread")
async def unread(bench: WorkspaceBench) -> None:
    """Input that nobody reads delays nothing and is no error."""
    async with bench.workspace() as workspace:
        result = await bench.within(
            "ignoring 5 MB", workspace.execute_command("echo done", stdin=LARGE)
        )
        expect("outcome", (result.stdout, result.exit_code), ("done\n", 0))
