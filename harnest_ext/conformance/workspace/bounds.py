"""Bounds: enforced, told by evidence, and harmless to what stays below them."""

from __future__ import annotations

from harnest_ext.conformance.checks import expect, refuse
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("bounds")

GREEDY = "x = b'x' * (500 << 20)\nprint(len(x))"
FAMILY = """\
import os, select
ready, done = os.pipe()
held, release = os.pipe()
for number in range(6):
    if os.fork() == 0:
        os.close(release)
        x = b'x' * (60 << 20)
        os.write(done, b'x')
        os.read(held, 1)  # until its parent is over
        os._exit(0)
count = 0
while count < 6 and not os.waitpid(-1, os.WNOHANG)[0]:
    if select.select([ready], [], [], 0.02)[0]:
        count += len(os.read(ready, 6))
"""
FORKING = """\
import os, time
count = 0
try:
    while count < 1000:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        count += 1
except OSError:
    print('refused')
"""
PRETENDING = "import sys\nprint('MemoryError: out of memory', file=sys.stderr)\nsys.exit(137)"


@GROUP.promise("memory", needs=[WorkspaceFeature.LIMIT_MEMORY])
async def memory(bench: WorkspaceBench) -> None:
    """A program that uses more memory than it may is ended, and that is told."""
    async with bench.workspace(max_memory_mb=128) as workspace:
        result = await workspace.execute(GREEDY)
        expect("memory exceeded", result.memory_exceeded, wanted=True)
        refuse("it got what it may not have", if_true=result.stdout != "")


@GROUP.promise("memory-of-children", needs=[WorkspaceFeature.LIMIT_MEMORY])
async def memory_of_children(bench: WorkspaceBench) -> None:
    """All processes of a call count together."""
    async with bench.workspace(max_memory_mb=128) as workspace:
        expect("memory exceeded", (await workspace.execute(FAMILY)).memory_exceeded, wanted=True)


@GROUP.promise("memory-not")
async def memory_not(bench: WorkspaceBench) -> None:
    """Neither words nor an exit code are evidence of it."""
    async with bench.workspace() as workspace:
        for result in (
            await workspace.execute(PRETENDING),
            await workspace.execute("raise MemoryError"),
            await workspace.execute_command("kill -9 $$"),
        ):
            expect("memory exceeded", result.memory_exceeded, wanted=False)


@GROUP.promise("node", needs=[WorkspaceFeature.NODE])
async def node(bench: WorkspaceBench) -> None:
    """Node, which reserves far more addresses than it uses, runs under the default limits."""
    async with bench.workspace() as workspace:
        result = await workspace.execute_command("node -e 'console.log(40 * 10)'")
        expect("outcome", (result.stdout, result.exit_code), ("400\n", 0))


@GROUP.promise("processes", needs=[WorkspaceFeature.LIMIT_PROCESSES])
async def processes(bench: WorkspaceBench) -> None:
    """A call that starts process after process is refused more of them, and all are ended."""
    async with bench.workspace() as workspace:
        result = await workspace.execute(FORKING)
        expect("stdout", result.stdout, "refused\n")
        again = await workspace.execute(FORKING)
        expect("stdout of the next call", again.stdout, "refused\n")


@GROUP.promise("cpu", needs=[WorkspaceFeature.LIMIT_CPU])
async def cpu(bench: WorkspaceBench) -> None:
    """A program that computes for longer than it may is ended before its deadline."""
    async with bench.workspace(max_cpu_seconds=1, timeout_seconds=60) as workspace:
        result = await workspace.execute("while True: pass")
        expect("timed out", result.timed_out, wanted=False)
        refuse("it succeeded", if_true=result.exit_code == 0)


@GROUP.promise("file-size", needs=[WorkspaceFeature.LIMIT_FILE])
async def file_size(bench: WorkspaceBench) -> None:
    """No file grows beyond its limit."""
    async with bench.workspace(max_file_size_mb=1) as workspace:
        await workspace.execute_command("head -c 3000000 /dev/zero > file")
        size = (workspace.directory / "file").stat().st_size
        refuse(f"the file has {size} bytes", if_true=size > 1 << 20)
