"""Workspaces from outside: who owns their containers, and what is left when their process is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from harnest.extensions.docker import docker
from workspaces import Shop

from conftest import command, open_descriptors, ours, patiently, until
from harnest.execution import BackendError

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.docker
HOST = """\
import asyncio, sys
from harnest.execution import Workspace, WorkspaceConfig

async def main():
    one = Workspace(WorkspaceConfig(tier="docker", image="harnest-test/python"))
    await one.__aenter__()
    print("open", one.directory, flush=True)
    calls = [one.execute_command("mktemp ./on.XXXXXX; " + {command!r}) for _ in range(2)]
    await asyncio.gather(*calls)

asyncio.run(main())
"""


def started(text: str) -> tuple[subprocess.Popen[str], str]:
    """Start a process that opens a workspace and runs two commands; return it and the work directory."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOST.format(command=text)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said = process.stdout.readline().split()
    assert said[:1] == ["open"]
    return process, said[1]


@pytest.mark.parametrize(
    "text", ["sleep 600", "yes > /dev/null", "(setsid sleep 600 &); sleep 600"]
)
def test_nothing_is_left_when_the_host_process_is_killed(daemon: None, text: str) -> None:
    """After SIGKILL of the process its containers, idle, busy or flooding, end and are removed by themselves."""
    process, directory = started(text)
    try:
        assert until(lambda: len(list(Path(directory).iterdir())) >= 2)
        assert len(ours(process.pid)) >= 2
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert process.stdout is not None
    process.stdout.close()
    assert until(lambda: not ours(process.pid))
    subprocess.run(["rm", "-rf", directory], check=True)


def test_containers_are_seen_as_this_process_s(daemon: None) -> None:
    """Inventory shows a workspace's containers with their living owner, and prune leaves them alone."""
    shop = Shop()
    try:
        provider = docker.sandbox(image="harnest-test/python").build()
        mine = [item for item in provider.inventory() if f".{os.getpid()}." in item.owner]
        assert [item.owner_alive for item in mine if item.kind == "container"] == [True]
        provider.prune()
        assert shop.out("echo on") == "on\n"
        provider.close()
    finally:
        shop.close()
    assert ours() == []


def test_a_container_that_an_operator_removed_is_replaced(shop: Callable[..., Shop]) -> None:
    """A container that is gone between calls is noticed, and one that goes during a call is an error."""
    one = shop(timeout_seconds=300)
    command("rm", "-f", *ours())
    assert until(lambda: one.alive == 0)
    assert one.out("echo on") == "on\n"
    killer = threading.Thread(
        target=lambda: until((one.directory / "on").exists) and command("rm", "-f", *ours())
    )
    killer.start()
    with pytest.raises(BackendError, match=r"without a last word|ended by itself"):
        one.sh("touch on; sleep 600")
    killer.join()
    assert one.out("echo on") == "on\n"


def test_opening_and_closing_leaves_no_descriptor(daemon: None) -> None:
    """Neither descriptors nor containers nor folders stay behind."""
    Shop().close()
    before = open_descriptors()
    for _ in range(3):
        shop = Shop()
        directory = shop.directory
        assert shop.out("echo on") == "on\n"
        shop.close()
        assert not directory.exists()
    assert until(lambda: open_descriptors() <= before)
    assert ours() == []


def test_a_forked_child_leaves_the_parent_s_containers_alone(daemon: None) -> None:
    """A child that ends, with everything that runs at its exit, ends none of the parent's containers."""
    code = (
        "import asyncio, os, sys\n"
        "from harnest.execution import Workspace, WorkspaceConfig\n"
        "async def main():\n"
        "    async with Workspace(WorkspaceConfig(tier='docker', image='harnest-test/python')) as one:\n"
        "        await one.execute_command('echo x > kept')\n"
        "        if os.fork() == 0:\n"
        "            import atexit; atexit._run_exitfuncs(); os._exit(0)\n"
        "        os.wait()\n"
        "        print((await one.execute_command('cat kept')).stdout, end='')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.returncode) == ("x\n", 0), done.stderr


def test_a_forgetful_program_is_cleaned_up_at_its_exit(daemon: None, tmp_path: Path) -> None:
    """A process that never closes its workspace leaves no container when it exits."""
    code = (
        "import asyncio, os\n"
        "from harnest.execution import Workspace, WorkspaceConfig\n"
        "async def main():\n"
        "    one = Workspace(WorkspaceConfig(tier='docker', image='harnest-test/python'))\n"
        "    await one.__aenter__()\n"
        "    print(os.getpid(), (await one.execute_command('echo on')).stdout, end='', flush=True)\n"
        "    return one\n"
        "kept = asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    pid, said = done.stdout.split()
    assert (said, done.returncode) == ("on", 0), done.stderr
    assert until(lambda: not ours(int(pid)))


def test_an_idle_workspace_outlives_its_lease(
    daemon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle containers hear that their host lives, so the same one serves a call much later."""

    def attempt(lease: int) -> bool:
        monkeypatch.setenv("HARNEST_DOCKER_LEASE", str(lease))
        shop = Shop()
        try:
            before = ours()
            time.sleep(3 * lease)  # three leases go by
            assert shop.out("echo on") == "on\n"
            return ours() == before
        except BackendError:
            # This process was silent for so long, and its container ends just now.
            return False
        finally:
            shop.close()

    assert patiently(attempt, bool)


def test_two_workspaces_in_one_folder_are_apart(daemon: None, tmp_path: Path) -> None:
    """Two workspaces on the same folder see its files, and neither's end ends the other."""
    if os.geteuid() == 0:
        os.chown(tmp_path, 12_345, 12_345)
    first, second = Shop(directory=tmp_path), Shop(directory=tmp_path)
    try:
        first.out("echo mine > file")
        assert second.out("cat file") == "mine\n"
        first.close()
        assert second.out("cat file") == "mine\n"
    finally:
        first.close()
        second.close()
    assert ours() == []


def test_no_secret_of_the_environment_shows_outside(daemon: None) -> None:
    """Configured variables are in no label, argument or environment that the daemon shows, nor in repr."""
    shop = Shop(environment={"TOKEN": "s3cr3t-v4lue"})
    try:
        assert shop.out("echo $TOKEN") == "s3cr3t-v4lue\n"
        shown = json.dumps(json.loads(command("inspect", *ours())))
        assert "s3cr3t-v4lue" not in shown
        assert "s3cr3t-v4lue" not in repr(shop.workspace.config)
        assert shop.sh("cat /proc/1/cmdline /proc/1/environ").stdout.count("s3cr3t") == 0
    finally:
        shop.close()
