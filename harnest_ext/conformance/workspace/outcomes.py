"""Outcomes: the program's own, told truly, and calls that can't be made refused."""

from __future__ import annotations

from harnest_ext.conformance.checks import expect, expect_in
from harnest_ext.conformance.workspace.raising import refused
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("outcomes")


@GROUP.promise("python")
async def python(bench: WorkspaceBench) -> None:
    """Python prints to standard output and ends with exit code 0."""
    async with bench.workspace() as workspace:
        result = await workspace.execute("print(40 * 10)")
        expect("outcome", (result.stdout, result.stderr, result.exit_code), ("400\n", "", 0))


@GROUP.promise("command")
async def command(bench: WorkspaceBench) -> None:
    """A command's streams and exit code are told apart."""
    async with bench.workspace() as workspace:
        result = await workspace.execute_command("echo out; echo err >&2; exit 7")
        expect("outcome", (result.stdout, result.stderr, result.exit_code), ("out\n", "err\n", 7))


@GROUP.promise("traceback")
async def traceback(bench: WorkspaceBench) -> None:
    """A failing program is a result with its traceback, not an error."""
    async with bench.workspace() as workspace:
        result = await workspace.execute("def f():\n    1 / 0\nf()")
        expect("exit code", result.exit_code, 1)
        expect_in("error output", "ZeroDivisionError", result.stderr)


@GROUP.promise("code-124")
async def code_124(bench: WorkspaceBench) -> None:
    """A program that returns 124 did not time out."""
    async with bench.workspace() as workspace:
        for result in (
            await workspace.execute("raise SystemExit(124)"),
            await workspace.execute_command("exit 124"),
        ):
            expect("outcome", (result.exit_code, result.timed_out), (124, False))


@GROUP.promise("signal")
async def signal(bench: WorkspaceBench) -> None:
    """A program that killed itself has exit code 137 and did not run out of memory."""
    async with bench.workspace() as workspace:
        result = await workspace.execute("import os; os.kill(os.getpid(), 9)")
        expect("outcome", (result.exit_code, result.memory_exceeded), (137, False))


@GROUP.promise("bytes")
async def raw(bench: WorkspaceBench) -> None:
    """Output that is no UTF-8 is kept byte by byte, and shown with replacements."""
    async with bench.workspace() as workspace:
        result = await workspace.execute_command(r"printf '\377\000\303\251'")
        expect("bytes", result.stdout_bytes, b"\xff\x00\xc3\xa9")
        expect("text", result.stdout, "�\0é")


@GROUP.promise("time")
async def took(bench: WorkspaceBench) -> None:
    """What ran took at least a millisecond, and about as long as it slept."""
    async with bench.workspace() as workspace:
        short = await workspace.execute_command(":")
        slept = await workspace.execute_command("sleep 0.5")
        expect("short", short.execution_time_ms >= 1, wanted=True)
        expect("slept", slept.execution_time_ms >= 450, wanted=True)


@GROUP.promise("shell")
async def shell(bench: WorkspaceBench) -> None:
    """A command that begins like an option, or has many lines and quotes, arrives as it is."""
    async with bench.workspace() as workspace:
        dash = await workspace.execute_command("-x 2>/dev/null; echo \"it's\"\n\necho 'a  b'")
        expect("stdout", dash.stdout, "it's\na  b\n")


@GROUP.promise("import")
async def imports(bench: WorkspaceBench) -> None:
    """A module in the work directory can be imported and doesn't replace one of the library."""
    async with bench.workspace() as workspace:
        await workspace.execute_command("echo 'x = 5' > mine.py; echo 'raise OSError' > json.py")
        result = await workspace.execute("import json, mine; print(mine.x, json.dumps(1))")
        expect("outcome", (result.stdout, result.exit_code), ("5 1\n", 0))


@GROUP.promise("refusals")
async def refusals(bench: WorkspaceBench) -> None:
    """Another language, blank or broken text are refused as ValueError before anything runs."""
    async with bench.workspace() as workspace:
        await refused("another language", workspace.execute("1", "javascript"))
        await refused("blank code", workspace.execute(" "))
        await refused("blank command", workspace.execute_command(""))
        await refused("a NUL", workspace.execute_command("echo \0"))
        await refused("a lone surrogate", workspace.execute("x = '\ud800'"))
