"""What only this tier promises, or can be tried only where programs are processes of this host."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution import TierUnavailableError, Workspace, WorkspaceConfig
from harnest.execution.local import workdir
from harnest.execution.local.bounds import bounds_memory, parents
from harnest_ext.conformance.timing import Deadlines

from .conftest import FOLDER
from .support import alive, until

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

HOST = """
import asyncio, importlib, sys, types
package = types.ModuleType("harnest_extension_process")
package.__path__ = [{folder!r}]
sys.modules[package.__name__] = package
module = importlib.import_module("harnest_extension_process.extension")
sys.modules["harnest.extensions.process"] = module

from harnest.execution import Workspace, WorkspaceConfig

async def main():
    async with Workspace(WorkspaceConfig(tier="process")) as workspace:
        print(workspace.directory, flush=True)
        await workspace.execute_command("echo $$ > pid; sleep 600")

asyncio.run(main())
"""


def run(work: Callable[[Workspace], Coroutine[Any, Any, None]], **options: Any) -> None:
    """Run with a workspace of this tier."""

    async def whole() -> None:
        async with Workspace(WorkspaceConfig(tier="process", **options)) as workspace:
            await work(workspace)

    asyncio.run(whole())


def test_a_host_that_is_killed_leaves_no_program_and_its_directory_is_pruned(
    make: Callable[..., Any], own_place: Path
) -> None:
    """The supervisor sees the host go; what is left on the disk is found by its name."""
    code = HOST.format(folder=str(FOLDER))
    host = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"TMPDIR": str(own_place)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert host.stdout is not None
    with host.stdout:
        directory = Path(host.stdout.readline().strip())
        assert until(lambda: (directory / "pid").exists() and (directory / "pid").read_text() != "")
        host.kill()
        host.wait()
    program = int((directory / "pid").read_text())
    assert until(lambda: not alive(program))
    assert directory.exists()
    removed = {item.resource_id for item in make().prune().removed}
    assert directory.name in removed
    assert not directory.exists()
    assert [i for i in workdir.leftovers(workdir.WORKSPACE_PREFIX) if i.pid == host.pid] == []


def test_temporary_files_are_no_results_and_go_with_the_workspace() -> None:
    """TMPDIR is a folder of its own, and HOME the work directory."""
    seen: list[Path] = []

    async def work(workspace: Workspace) -> None:
        result = await workspace.execute(
            "import os, tempfile\nprint(os.environ['HOME'])\nprint(tempfile.mkstemp()[1])"
        )
        home, made = result.stdout.splitlines()
        assert Path(home) == workspace.directory
        assert result.files_created == ()
        seen.append(Path(made))
        assert seen[0].exists()

    run(work)
    assert not seen[0].parent.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS is Linux's")
def test_a_bound_on_addresses_is_opt_in_and_told_by_evidence() -> None:
    """Python that runs out of them is told apart from Python that says so."""

    async def work(workspace: Workspace) -> None:
        greedy = await workspace.execute("x = bytearray(400 << 20)")
        assert (greedy.memory_exceeded, greedy.exit_code) == (True, 1)
        caught = await workspace.execute(
            "try:\n    x = bytearray(400 << 20)\nexcept MemoryError:\n    print('went on')"
        )
        assert (caught.memory_exceeded, caught.stdout) == (False, "went on\n")
        pretending = await workspace.execute("raise MemoryError('out of memory')")
        assert (pretending.memory_exceeded, pretending.exit_code) == (False, 1)

    run(work, limit_address_space=True, max_memory_mb=256)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")
def test_node_needs_more_addresses_than_memory() -> None:
    """That is why a bound on addresses is no default: with one of 512 MiB node can't start."""

    async def work(workspace: Workspace) -> None:
        result = await workspace.execute_command("node -e 'console.log(1)'")
        assert (result.exit_code == 0, result.stdout) == (False, "")

    run(work, limit_address_space=True)


@pytest.mark.skipif(not bounds_memory(), reason="no control group can bound memory here")
def test_a_command_whose_child_ran_out_of_memory_is_told_though_it_went_on() -> None:
    """The kernel's own count is the evidence, whatever the command returns."""

    async def work(workspace: Workspace) -> None:
        greedy = f"{sys.executable} -c \"x = b'x' * (300 << 20)\""
        result = await workspace.execute_command(f"{greedy} || echo went on")
        assert (result.memory_exceeded, result.exit_code) == (True, 0)
        assert result.stdout.endswith("went on\n")

    run(work, max_memory_mb=64)


@pytest.mark.parametrize("options", [{"shell": "/nonexistent"}, {"python": "/etc"}])
def test_a_missing_interpreter_is_told_before_anything_runs(options: dict[str, Any]) -> None:
    """With the option that names another one."""
    name = next(iter(options))

    async def work(_workspace: Workspace) -> None:
        pytest.fail("it was opened")

    with pytest.raises(TierUnavailableError, match=name) as caught:
        run(work, **options)
    assert f"{name}=" in caught.value.remedy


def test_another_shell_runs_the_commands() -> None:
    """As `SHELL -c COMMAND`."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed here")

    async def work(workspace: Workspace) -> None:
        result = await workspace.execute_command("a=(1 2 3); echo ${#a[@]} $0")
        assert result.stdout == f"3 {bash}\n"

    run(work, shell=bash)


def test_programs_get_nothing_of_this_process() -> None:
    """No descriptor, no ignored signal, no controlling terminal, and no new privileges."""

    async def work(workspace: Workspace) -> None:
        with open(os.devnull, "rb") as file:  # noqa: PTH123, ASYNC230 - held open meanwhile
            os.set_inheritable(file.fileno(), True)  # noqa: FBT003 - its only form
            result = await workspace.execute_command("ls /proc/self/fd; cat /proc/self/status")
        lines = result.stdout.splitlines()
        # 3 is the listing's own.
        assert lines[: lines.index("3") + 1] == ["0", "1", "2", "3"]
        facts = dict(line.split(":\t", 1) for line in lines[4:] if ":\t" in line)
        assert int(facts["SigIgn"], 16) & (1 << (signal.SIGPIPE - 1)) == 0
        assert facts["NoNewPrivs"] == "1"
        assert (await workspace.execute_command(": < /dev/tty")).exit_code != 0

    if not sys.platform.startswith("linux"):
        pytest.skip("there is no /proc")
    run(work)


def test_a_program_that_suspends_its_supervisor_is_ended_at_its_deadline() -> None:
    """A command can't win time by signals to what watches it."""
    command = "echo on; : > begun; kill -STOP $PPID; sleep 600"

    async def work(workspace: Workspace) -> None:
        deadlines = Deadlines()
        for seconds in deadlines:
            result = await workspace.execute_command(command, timeout=seconds)
            deadlines.too_short = not (workspace.directory / "begun").exists()
        assert (result.timed_out, result.stdout) == (True, "on\n")

    run(work)


def test_code_of_another_interpreter_runs_in_it(tmp_path: Path) -> None:
    """`python=` names it."""
    wrapper = tmp_path / "python"
    wrapper.write_text(
        textwrap.dedent(f"""\
        #!/bin/sh
        exec {sys.executable} -X dev "$@"
        """)
    )
    wrapper.chmod(0o755)

    async def work(workspace: Workspace) -> None:
        result = await workspace.execute("import sys; print(sys.flags.dev_mode)")
        assert result.stdout == "True\n"

    run(work, python=str(wrapper))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts what /proc shows")
def test_many_calls_leave_nothing() -> None:
    """No descriptor, no thread, no control group: after calls in a row, at once, and cancelled."""

    async def work(workspace: Workspace) -> None:
        await workspace.execute_command(":", stdin=b"x")
        before = facts()
        for _ in range(10):
            await workspace.execute_command("cat", stdin=b"x" * 100_000)
        await asyncio.gather(*[workspace.execute("print(1)") for _ in range(10)])
        calls = [workspace.execute_command(f": > begun-{n}; sleep 60") for n in range(5)]
        tasks = list(map(asyncio.create_task, calls))
        while len(list(workspace.directory.glob("begun-*"))) < 5:  # else the calls time out
            assert not any(task.done() for task in tasks)
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # The thread of the call before may still have been there when it was counted.
        assert until(lambda: all(now <= then for now, then in zip(facts(), before, strict=True))), (
            before,
            facts(),
        )

    def facts() -> tuple[int, int, int]:
        folders = {folder for folder in (parents().pids, parents().memory) if folder}
        groups = [item for folder in folders for item in folder.glob(f"harnest-*{os.getpid()}-*")]
        descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a listing is counted
        return descriptors, threading.active_count(), len(groups)

    run(work)
