"""Deadlines that come nearer, evidence that does not come, and hosts that fall silent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from fake_daemon import FakeDaemon
from harnest.extensions.docker import DockerSandboxProvider, DockerScope, docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.errors import DockerProtocolError
from harnest.extensions.docker.lib.limits import API_SECONDS
from harnest.extensions.docker.lib.pid1 import bundle

from conftest import AMPLE, FOREVER, IDENTITY, Box, command, meta, ours, patiently, phases, until
from harnest.sandbox import (
    SandboxCancelledError,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
    control,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnest.sandbox.scope import SandboxControl

HOST = """\
import itertools, sys, time
from harnest.extensions.docker import DockerScope, docker
from harnest.sandbox import SandboxContext, SandboxRequest
box = docker.sandbox(image="harnest-test/python", scope=DockerScope.SESSION).build()
who = SandboxContext(agent_name="a", user_id="u", session_id="s")
for line in itertools.chain(["first"], sys.stdin):
    while line == "ended\\n" and any(
        slot.topology is not None and slot.topology.alive
        for slot in box._engine.household.retention._slots.values()
    ):
        time.sleep(.02)
    result = box.execute(SandboxRequest(code="print(1)", context=who))
    print(result.stdout.strip(), result.metadata["fresh"], flush=True)
box.close()
"""


def test_evidence_that_does_not_come_costs_no_more_than_the_deadline() -> None:
    """A container that is gone without a word, and a daemon that is silent about it: an error in time."""
    daemon = FakeDaemon()
    provider = DockerSandboxProvider(DockerSandboxConfig(image="image"), daemon)
    daemon.programs = lambda _code: None

    def attempt(seconds: int) -> object:
        daemon.troubles.clear()
        daemon.trouble("state", seconds=600)
        request = SandboxRequest(code="print(1)", context=IDENTITY, timeout_seconds=seconds)
        started = time.monotonic()
        try:
            return provider.execute(request)
        except DockerProtocolError as error:
            return error
        finally:
            assert time.monotonic() - started < seconds + API_SECONDS / 2

    error = patiently(attempt, lambda _: "state" in daemon.calls)
    assert "without a last word" in str(error)
    daemon.troubles.clear()
    provider.close()
    assert daemon.empty


@pytest.mark.docker
@pytest.mark.parametrize("scope", [DockerScope.EXECUTION, DockerScope.SESSION])
def test_a_deadline_that_is_drawn_nearer_holds_at_once(
    box: Callable[..., Box], scope: DockerScope
) -> None:
    """``constrain`` during a run ends the program then, keeps its output, and removes its container."""
    one = box(scope=scope)
    drawn: list[float] = []

    def receive(_stream: object, _text: str) -> None:
        current = control.current()
        assert current is not None
        current.constrain(0.5)
        drawn.append(time.monotonic())

    def attempt(_: int) -> SandboxResult:
        request = SandboxRequest(code=FOREVER, context=IDENTITY)
        result = one.provider.execute_streaming(request, receive)
        assert time.monotonic() - drawn[-1] < AMPLE
        assert (result.status, result.stdout) == (SandboxStatus.TIMED_OUT, "on\n")
        assert (meta(result)["phase"], meta(result)["reason"]) == ("execution", "deadline")
        assert until(lambda: ours() == [])
        return result

    # PID 1 ends it and has the last word: the daemon has to only where PID 1 does not come to it in time.
    assert "program_ms" in meta(patiently(attempt, lambda result: "program_ms" in meta(result)))


@pytest.mark.docker
@pytest.mark.parametrize(
    "before", ["network creation", "container creation", "service 'slow' container start"]
)
def test_a_call_that_is_cancelled_while_it_starts_leaves_nothing(
    box: Callable[..., Box], caplog: pytest.LogCaptureFixture, before: str
) -> None:
    """Cancelled in any phase before the program, everything made so far is gone with the call."""
    slow = docker.service(
        name="slow",
        image="harnest-test/python",
        command=["python3", "-c", "import time; time.sleep(600)"],
        readiness=docker.readiness(tcp=1, interval_seconds=0.1),
    )
    one = box(services=[slow])
    failures: list[BaseException] = []
    scopes: list[SandboxControl] = []

    def run() -> None:
        with control.execute(600) as scope:
            scopes.append(scope)
            try:
                one.run("print('never')")
            except SandboxCancelledError as error:
                failures.append(error)

    thread = threading.Thread(target=run)
    with caplog.at_level("INFO", logger="harnest.agent.docker"):
        thread.start()
        assert until(lambda: before in phases(caplog))
        scopes[0].cancelled.set()
        thread.join(AMPLE)
    assert len(failures) == 1
    assert until(lambda: ours() == [])


@pytest.mark.docker
def test_a_container_that_nobody_speaks_to_ends_by_itself(daemon: None) -> None:
    """Without the host's first word PID 1 waits ten seconds and no longer."""
    started = time.monotonic()
    with subprocess.Popen(
        ["docker", "run", "--rm", "-i", "--network=none", "harnest-test/python", *bundle.command()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.wait(AMPLE) == 0
        finally:
            process.kill()
    assert time.monotonic() - started > 9


class Talker:
    """A host process whose containers have a lease of some seconds, and one idle container of it."""

    def __init__(self, lease: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOST],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"HARNEST_DOCKER_LEASE": str(lease)},
        )
        assert self.heard() == "1 True\n"

    def heard(self) -> str:
        """Return what it says of its next call."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def again(self, *, ended: bool = False) -> str:
        """Let it make another call, once it knows that its container has *ended*; return what it says of it."""
        assert self._process.stdin is not None
        self._process.stdin.write("ended\n" if ended else "again\n")
        self._process.stdin.flush()
        return self.heard()

    def freeze(self) -> None:
        """Stop the process where it is."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def alone(self) -> bool:
        """Return whether no container of it runs."""
        shown = command("ps", "--format", '{{.Label "dev.harnest.owner"}}')
        return f".{self._process.pid}." not in shown

    def end(self) -> None:
        """Let it end; nothing of it may be left."""
        self.thaw()
        self._process.communicate(timeout=AMPLE)
        assert ours(self._process.pid) == []


@contextmanager
def talker(lease: int) -> Iterator[Talker]:
    """Let a host process talk to its container."""
    one = Talker(lease)
    try:
        yield one
    finally:
        one.end()


@pytest.mark.docker
def test_an_idle_container_lives_while_its_host_speaks(daemon: None) -> None:
    """For twice the lease nothing happens, and the next call meets the same container."""

    def attempt(lease: int) -> str:
        with talker(lease) as one:
            return "died" if until(one.alone, 2 * lease) else one.again()

    assert patiently(attempt, lambda said: said == "1 False\n", first=2) == "1 False\n"


@pytest.mark.docker
def test_an_idle_container_ends_when_its_host_is_silent_for_a_lease(daemon: None) -> None:
    """A host that is frozen, not dead, holds its container no longer than the lease; then it recovers."""
    with talker(2) as one:
        one.freeze()
        assert until(one.alone)
        one.thaw()
        assert one.again(ended=True) == "1 True\n"
