"""Deadlines: met whatever a call does, told truly, never extended."""

from __future__ import annotations

from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace.raising import refused
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("deadlines")

STUBBORN = """\
import signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print('so far', flush=True)
open('begun', 'x').close()
while True:
    time.sleep(1)
"""
HOLDING = """\
import os, time
reader, writer = os.pipe()
for number in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writer, b'x')
            time.sleep(600)
        os._exit(0)
for number in range(3):
    os.read(reader, 1)
print('so far', flush=True)
open('begun', 'x').close()
time.sleep(600)
"""


@GROUP.promise("partial-output")
async def partial_output(bench: WorkspaceBench) -> None:
    """The output up to the deadline is kept, of both streams, and there is no exit code."""
    async with bench.workspace() as workspace:
        command = "echo so far; echo oh >&2; : > begun; sleep 600"
        result = await bench.late(
            workspace, lambda seconds: workspace.execute_command(command, timeout=seconds)
        )
        expect("outcome", (result.timed_out, result.exit_code), (True, None))
        expect("output", (result.stdout, result.stderr), ("so far\n", "oh\n"))


@GROUP.promise("stubborn")
async def stubborn(bench: WorkspaceBench) -> None:
    """A program that ignores signals is ended too, its output kept."""
    await _keeps_output(bench, STUBBORN)


@GROUP.promise("detached", needs=[WorkspaceFeature.DESCENDANTS])
async def detached(bench: WorkspaceBench) -> None:
    """Detached processes that hold the output don't delay the return at a deadline."""
    await _keeps_output(bench, HOLDING)


@GROUP.promise("not-extended")
async def not_extended(bench: WorkspaceBench) -> None:
    """A call can't ask for more than the configured deadline."""
    async with bench.workspace(timeout_seconds=1) as workspace:
        result = await workspace.execute_command("sleep 10; echo extended", timeout=500)
        expect("outcome", (result.timed_out, result.stdout), (True, ""))


@GROUP.promise("values")
async def values(bench: WorkspaceBench) -> None:
    """A timeout that is no positive int is refused."""
    async with bench.workspace() as workspace:
        for wrong in (0, -1, True, 1.5, "3"):
            await refused(f"timeout {wrong!r}", workspace.execute_command("echo", timeout=wrong))  # type: ignore[arg-type]


@GROUP.promise("next-call")
async def next_call(bench: WorkspaceBench) -> None:
    """A time-out does no harm to the next call, which sees what the late one wrote."""
    async with bench.workspace() as workspace:
        command = "echo kept > note; sleep 600"
        late = await bench.late(
            workspace, lambda seconds: workspace.execute_command(command, timeout=seconds), "note"
        )
        expect("timed out", late.timed_out, wanted=True)
        expect("files", late.files_created, ("note",))
        result = await workspace.execute_command("cat note")
        expect("stdout", result.stdout, "kept\n")


async def _keeps_output(bench: WorkspaceBench, code: str) -> None:
    async with bench.workspace() as workspace:
        result = await bench.late(
            workspace, lambda seconds: workspace.execute(code, timeout=seconds)
        )
        expect("outcome", (result.timed_out, result.stdout), (True, "so far\n"))
