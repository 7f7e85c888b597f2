"""The host process is killed in each phase: its containers end, and only they are removed.

In each phase 20 processes are killed, 100 with ``HARNEST_ENDURANCE=long``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerScope

from conftest import Box, command, ours, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.docker
HOST = """\
import logging, os, random, signal, sys, time
import docker as sdk  # before the forks, so that each host need not
from harnest.extensions.docker import DockerScope, docker
from harnest.sandbox import SandboxBudget, SandboxContext, SandboxRequest

moment, code, services, rounds, at_once = {moment!r}, {code!r}, {services}, {rounds}, {at_once}
logger = logging.getLogger("harnest.agent.docker")

class Told(logging.Handler):
    def emit(self, record):
        now("phase " + str(vars(record).get("harnest.docker.phase", record.getMessage())))

def now(what):
    if what == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def call():
    logger.addHandler(Told())
    logger.setLevel("INFO")
    queue = docker.service(
        name="queue", image="harnest-test/redis", readiness=docker.readiness(command=["redis-cli", "ping"]),
        budget=SandboxBudget(memory_bytes=96 << 20, scratch_bytes=16 << 20),
    )
    box = docker.sandbox(
        image="harnest-test/python", services=[queue] if services else [], scope=DockerScope.SESSION
    ).build()
    who = SandboxContext(agent_name="a", user_id="u", session_id="s")
    box.execute_streaming(
        SandboxRequest(code=code, context=who), lambda stream, text: now("said " + text[:2].strip())
    )
    now("answered")
    time.sleep(60)

# One process that has everything imported, and forks a host of its own for each round.
while rounds > 0:
    hosts = []
    for _ in range(min(rounds, at_once)):
        hosts.append(os.fork())
        if hosts[-1] == 0:
            call()
            os._exit(1)
    rounds -= len(hosts)
    for host in hosts:
        if moment == "any":
            time.sleep(random.uniform(0, .3))
            os.kill(host, signal.SIGKILL)
        print(host, os.waitstatus_to_exitcode(os.waitpid(host, 0)[1]), flush=True)
"""
ROUNDS = 100 if os.environ.get("HARNEST_ENDURANCE") == "long" else 20
AT_ONCE = 4
FLOOD = "while True: print('x' * 65536)"
SLEEP = "print('on', flush=True)\nimport time\ntime.sleep(600)"


def killed_at(moment: str, code: str, *, services: bool, rounds: int = 1) -> list[int]:
    """Let host processes be killed at a moment of theirs; return their numbers."""
    options = {"rounds": rounds, "at_once": AT_ONCE, "services": services}
    done = subprocess.run(
        [sys.executable, "-c", HOST.format(moment=moment, code=code, **options)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    ended = [line.split() for line in done.stdout.splitlines()]
    assert [status for _, status in ended] == [str(-signal.SIGKILL)] * rounds, done.stderr
    return [int(pid) for pid, _ in ended]


@pytest.fixture(scope="module")
def neighbour(daemon: None) -> Iterator[Box]:
    """A living process with a retained container: this one."""
    box = Box(scope=DockerScope.SESSION)
    box.run("open('/tmp/mine', 'w')")
    yield box
    assert box.run("import os; print(os.listdir('/tmp'))").stdout == "['mine']\n"
    box.close()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("moment", "code"),
    [
        ("phase daemon connection", SLEEP),
        ("phase image policy", SLEEP),
        ("phase container creation", SLEEP),
        ("phase container start", SLEEP),
        ("phase start verification", SLEEP),
        ("said on", SLEEP),
        ("said xx", FLOOD),
        ("phase execution", "print('done')"),
        ("answered", "print('done')"),
        ("any", SLEEP),
    ],
)
def test_the_program_ends_with_its_host(neighbour: Box, moment: str, code: str) -> None:
    """After hosts were killed nothing of them runs on; what is left is pruned, no more."""
    hosts = killed_at(moment, code, services=False, rounds=ROUNDS)
    assert until(lambda: not running(hosts))
    assert until(lambda: pruned(neighbour, hosts))
    assert len(ours()) == 1


def test_a_child_of_the_host_does_not_keep_its_container(neighbour: Box) -> None:
    """A forked child that outlives the killed host holds no copy of the stream."""
    code = HOST.replace(
        'now("said " + text[:2].strip())', "(os.fork() or time.sleep(600), now('said on'))"
    )
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            code.format(moment="said on", code=SLEEP, services=False, rounds=1, at_once=1),
        ],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        host = int(process.stdout.readline().split()[0])
        process.wait(120)
        # Nobody is left in its group but the child: without one this raises.
        os.killpg(process.pid, 0)
        assert until(lambda: not running([host]))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    neighbour.provider.prune()
    assert left([host]) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "moment",
    [
        "phase network creation",
        "phase service 'queue' container creation",
        "phase service 'queue' container start",
        "phase service 'queue' readiness",
        "said on",
    ],
)
def test_services_and_networks_are_pruned(neighbour: Box, moment: str) -> None:
    """Services and networks of killed hosts go with the next prune, in order."""
    hosts = killed_at(moment, SLEEP, services=True, rounds=ROUNDS)
    assert until(lambda: "primary" not in running(hosts))
    assert until(lambda: pruned(neighbour, hosts))
    assert len(ours()) == 1


def test_the_next_first_call_tidies_up(neighbour: Box) -> None:
    """A provider's first call removes what dead processes left."""
    hosts = killed_at("said on", SLEEP, services=True)
    assert until(lambda: "primary" not in running(hosts))

    def tidied() -> bool:
        # What a slow daemon has not removed in a first call's few seconds the next provider finds.
        other = Box()
        assert other.run("print(1)").stdout == "1\n"
        other.close()
        return left(hosts) == []

    assert until(tidied)


def test_a_stranger_is_listed_as_such(neighbour: Box) -> None:
    """The inventory tells owners that live from those that are gone."""
    hosts = killed_at("said on", SLEEP, services=False)
    assert until(lambda: not running(hosts))
    found: Any = {item.resource_id: item for item in neighbour.provider.inventory()}
    (mine,), (other,) = ours(), left(hosts)
    assert (found[mine].owner_alive, found[mine].state, found[mine].kind) == (
        True,
        "running",
        "container",
    )
    assert (found[other].owner_alive, found[other].state) == (False, "exited")
    assert found[mine].age_seconds >= 0
    removed = neighbour.provider.prune().removed
    assert other in {item.resource_id for item in removed}


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


def pruned(box: Box, hosts: list[int]) -> bool:
    """Prune, which must remove all that it finds; return whether nothing of these processes is left.

    What a process had asked for when it was killed the daemon may make after a look.
    """
    assert box.provider.prune().kept == ()
    return left(hosts) == []


def left(hosts: list[int]) -> list[str]:
    """Return what containers and networks of these processes are on the daemon."""
    return [identifier for host in hosts for identifier in ours(host)]


def running(hosts: list[int]) -> list[str]:
    """Return what the running containers of these processes are."""
    shown = command(
        "ps", "--format", '{{.Label "dev.harnest.owner"}} {{.Label "dev.harnest.resource"}}'
    )
    owners = tuple(f".{host}." for host in hosts)
    return [
        line.split()[1] for line in shown.splitlines() if any(owner in line for owner in owners)
    ]
