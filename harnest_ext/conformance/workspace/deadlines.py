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
while True:
    time.sleep(1)
"""
HOLDING = """\
import os, time
for number in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
print('so far', flush=True)
time.sleep(600)
"""


@GROUP.promise("partial-output")
async def partial_output(bench: WorkspaceBench) -> None:
    """The output up to the deadline is kept, of both streams, and there is no exit code."""
    async with bench.workspace() as workspace:
        call = workspace.execute_command("echo so far; echo oh >&2; sleep 600", timeout=1)
        result = await bench.within(2, "a deadline of 1 s", call)
        expect("outcome", (result.timed_out, result.exit_code), (True, None))
        expect("output", (result.stdout, result.stderr), ("so far\n", "oh\n"))


@GROUP.promise("stubborn")
async def stubborn(bench: WorkspaceBench) -> None:
    """A program that ignores signals is ended too, its output kept."""
    async with bench.workspace() as workspace:
        call = workspace.execute(STUBBORN, timeout=1)
        result = await bench.within(2, "a deadline of 1 s", call)
        expect("outcome", (result.timed_out, result.stdout), (True, "so far\n"))


@GROUP.promise("detached", needs=[WorkspaceFeature.DESCENDANTS])
async def detached(bench: WorkspaceBench) -> None:
    """Detached processes that hold the output don't delay a deadline of 1 s."""
    async with bench.workspace() as workspace:
        call = workspace.execute(HOLDING, timeout=1)
        result = await bench.within(2, "a deadline of 1 s", call)
        expect("outcome", (result.timed_out, result.stdout), (True, "so far\n"))


@GROUP.promise("not-extended")
async def not_extended(bench: WorkspaceBench) -> None:
    """A call can't ask for more than the configured deadline."""
    async with bench.workspace(timeout_seconds=1) as workspace:
        call = workspace.execute_command("sleep 600", timeout=500)
        expect("timed out", (await bench.within(2, "1 s", call)).timed_out, wanted=True)


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
        late = await workspace.execute_command("echo kept > note; sleep 600", timeout=1)
        expect("timed out", late.timed_out, wanted=True)
        expect("files", late.files_created, ("note",))
        result = await workspace.execute_command("cat note")
        expect("stdout", result.stdout, "kept\n")
