"""The host process is killed in each phase: its containers end, and only they are removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerScope

from conftest import Box, ours, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.docker
HOST = """\
import logging, sys, time

class Told(logging.Handler):
    def emit(self, record):
        print("phase", vars(record).get("harnest.docker.phase", record.getMessage()), flush=True)

logging.getLogger("harnest.agent.docker").addHandler(Told())
logging.getLogger("harnest.agent.docker").setLevel("INFO")
from harnest.extensions.docker import DockerScope, docker
from harnest.sandbox import SandboxBudget, SandboxContext, SandboxRequest

queue = docker.service(
    name="queue", image="harnest-test/redis", readiness=docker.readiness(command=["redis-cli", "ping"]),
    budget=SandboxBudget(memory_bytes=96 << 20, scratch_bytes=16 << 20),
)
box = docker.sandbox(
    image="harnest-test/python", services=[queue] if {services} else [], scope=DockerScope.SESSION
).build()
who = SandboxContext(agent_name="a", user_id="u", session_id="s")
box.execute_streaming(
    SandboxRequest(code={code!r}, context=who), lambda stream, text: print("said", text, flush=True)
)
print("phase answered", flush=True)
time.sleep(60)
"""
FLOOD = "while True: print('x' * 65536)"
SLEEP = "print('on', flush=True)\nimport time\ntime.sleep(600)"


def killed_at(line: str, code: str, *, services: bool) -> int:
    """Start a host process, kill it when it prints *line*, and return its number."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOST.format(services=services, code=code)],
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    for said in process.stdout:
        if said.startswith(line):
            break
    else:
        pytest.fail(f"the host process never said {line!r}")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return process.pid


@pytest.fixture(scope="module")
def neighbour(daemon: None) -> Iterator[Box]:
    """A living process with a retained container: this one."""
    box = Box(scope=DockerScope.SESSION)
    box.run("open('/tmp/mine', 'w')")
    yield box
    assert box.run("import os; print(os.listdir('/tmp'))").stdout == "['mine']\n"
    box.close()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("phase image policy", SLEEP),
        ("phase container creation", SLEEP),
        ("phase container start", SLEEP),
        ("phase start verification", SLEEP),
        ("said on", SLEEP),
        ("said x", FLOOD),
        ("phase answered", "print('done')"),
    ],
)
def test_the_program_ends_with_its_host(neighbour: Box, line: str, code: str) -> None:
    """Five seconds after the host was killed nothing of it runs; what is left is pruned, no more."""
    pid = killed_at(line, code, services=False)
    assert until(lambda: running(pid) == [], 5)
    assert neighbour.provider.prune().kept == ()
    assert ours(pid) == []
    assert len(ours()) == 1


@pytest.mark.parametrize(
    "line",
    [
        "phase network creation",
        "phase service 'queue' container creation",
        "phase service 'queue' container start",
        "phase service 'queue' readiness",
        "said on",
    ],
)
def test_services_and_networks_are_pruned(neighbour: Box, line: str) -> None:
    """Services and networks of a killed host go with the next prune, in order."""
    pid = killed_at(line, SLEEP, services=True)
    assert until(lambda: "primary" not in running(pid), 5)
    assert neighbour.provider.prune().kept == ()
    assert ours(pid) == []
    assert len(ours()) == 1


def test_the_next_first_call_tidies_up(neighbour: Box) -> None:
    """A provider's first call removes what dead processes left."""
    pid = killed_at("said on", SLEEP, services=True)
    assert until(lambda: "primary" not in running(pid), 5)
    other = Box()
    assert other.run("print(1)").stdout == "1\n"
    other.close()
    assert ours(pid) == []


def test_a_stranger_is_listed_as_such(neighbour: Box) -> None:
    """The inventory tells owners that live from those that are gone."""
    pid = killed_at("said on", SLEEP, services=False)
    assert until(lambda: running(pid) == [], 5)
    found: Any = {item.resource_id: item for item in neighbour.provider.inventory()}
    (mine,), (left,) = ours(), ours(pid)
    assert (found[mine].owner_alive, found[mine].state, found[mine].kind) == (
        True,
        "running",
        "container",
    )
    assert (found[left].owner_alive, found[left].state) == (False, "exited")
    assert found[mine].age_seconds >= 0
    removed = neighbour.provider.prune().removed
    assert left in {item.resource_id for item in removed}


def test_the_diagnosis_tries_what_it_says(neighbour: Box) -> None:
    """The doctor starts a container, reads its limits from inside, and removes it."""
    found = {item.name: item for item in neighbour.provider.diagnose()}
    assert found["daemon"].state == "ok"
    for name in ("container", "limits", "privileges", "cleanup"):
        assert found[name].state == "ok", found[name]
    assert "iptables -I INPUT -i hx+ -j DROP" in found["host-broadcast"].remedy or (
        found["host-broadcast"].state == "ok"
    )
    assert len(ours()) == 1


def running(pid: int) -> list[str]:
    """Return what the running containers of a process are."""
    listing = subprocess.run(
        [
            "docker",
            "ps",
            "--format",
            '{{.Label "dev.harnest.owner"}} {{.Label "dev.harnest.resource"}}',
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    ).stdout
    return [line.split()[1] for line in listing.splitlines() if f".{pid}." in line]
