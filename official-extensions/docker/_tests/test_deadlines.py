"""Deadlines that come nearer, evidence that does not come, and hosts that fall silent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from fake_daemon import FakeDaemon
from harnest.extensions.docker import DockerSandboxProvider, DockerScope, docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.errors import DockerProtocolError
from harnest.extensions.docker.lib.pid1 import bundle

from conftest import IDENTITY, Box, command, meta, ours, until
from harnest.sandbox import SandboxCancelledError, SandboxRequest, SandboxStatus, control

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnest.sandbox.scope import SandboxControl

pytestmark = pytest.mark.timeout(60)
LEASE = 2
SILENT_HOST = """\
import itertools, sys
from harnest.extensions.docker import DockerScope, docker
from harnest.sandbox import SandboxContext, SandboxRequest
box = docker.sandbox(image="harnest-test/python", scope=DockerScope.SESSION).build()
who = SandboxContext(agent_name="a", user_id="u", session_id="s")
for line in itertools.chain(["first"], sys.stdin):
    result = box.execute(SandboxRequest(code="print(1)", context=who))
    print(result.stdout.strip(), result.metadata["fresh"], flush=True)
box.close()
"""


def test_evidence_that_does_not_come_costs_no_more_than_the_deadline() -> None:
    """A container that is gone without a word, and a daemon that is silent about it: an error in time."""
    daemon = FakeDaemon()
    provider = DockerSandboxProvider(DockerSandboxConfig(image="image", timeout_seconds=30), daemon)
    daemon.programs = lambda _code: None
    daemon.trouble("state", seconds=60)
    started = time.monotonic()
    with pytest.raises(DockerProtocolError, match="without a last word"):
        provider.execute(SandboxRequest(code="print(1)", context=IDENTITY, timeout_seconds=1))
    assert time.monotonic() - started < 2
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

    request = SandboxRequest(
        code="import time; print('on', flush=True); time.sleep(60)", context=IDENTITY
    )
    result = one.provider.execute_streaming(request, receive)
    assert time.monotonic() - drawn[0] < 0.5 + 1
    assert (result.status, result.stdout) == (SandboxStatus.TIMED_OUT, "on\n")
    assert (meta(result)["phase"], meta(result)["reason"]) == ("execution", "deadline")
    # PID 1 ended it and had the last word: the daemon did not have to.
    assert "program_ms" in meta(result)
    assert until(lambda: ours() == [], 5)


@pytest.mark.docker
@pytest.mark.parametrize(
    "before", ["network creation", "container creation", "service 'slow' container start"]
)
def test_a_call_that_is_cancelled_while_it_starts_leaves_nothing(
    box: Callable[..., Box], caplog: pytest.LogCaptureFixture, before: str
) -> None:
    """Cancelled in any phase before the program, everything made so far is gone within 1.5 s."""
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
        with control.execute(60) as scope:
            scopes.append(scope)
            try:
                one.run("print('never')")
            except SandboxCancelledError as error:
                failures.append(error)

    thread = threading.Thread(target=run)
    with caplog.at_level("INFO", logger="harnest.agent.docker"):
        thread.start()
        assert until(lambda: before in _phases(caplog), 30)
        scopes[0].cancelled.set()
        started = time.monotonic()
        thread.join(30)
    assert time.monotonic() - started < 1.5 + 1
    assert len(failures) == 1
    assert until(lambda: ours() == [], 5)


def _phases(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [str(vars(record).get("harnest.docker.phase")) for record in list(caplog.records)]


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
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert 9 < time.monotonic() - started < 20


@pytest.fixture
def silent(daemon: None) -> Iterator[subprocess.Popen[str]]:
    """A host process with a short lease, and one idle container of a session."""
    process = subprocess.Popen(
        [sys.executable, "-c", SILENT_HOST],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"HARNEST_DOCKER_LEASE": str(LEASE)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1 True\n"
    yield process
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=30)
    assert ours(process.pid) == []


def alive(process: subprocess.Popen[str]) -> bool:
    """Return whether a container of *process* runs."""
    shown = command(
        "ps", "--format", '{{.Label "dev.harnest.owner"}} {{.Label "dev.harnest.lease"}}'
    )
    return any(
        f".{process.pid}." in line and line.endswith(f" {LEASE}") for line in shown.splitlines()
    )


@pytest.mark.docker
def test_an_idle_container_lives_while_its_host_speaks(silent: subprocess.Popen[str]) -> None:
    """For twice the lease nothing happens, and the next call meets the same container."""
    assert not until(lambda: not alive(silent), 2 * LEASE)
    assert silent.stdin is not None
    assert silent.stdout is not None
    silent.stdin.write("again\n")
    silent.stdin.flush()
    assert silent.stdout.readline() == "1 False\n"


@pytest.mark.docker
def test_an_idle_container_ends_when_its_host_is_silent_for_a_lease(
    silent: subprocess.Popen[str],
) -> None:
    """A host that is frozen, not dead, holds its container no longer than the lease; then it recovers."""
    silent.send_signal(signal.SIGSTOP)
    started = time.monotonic()
    assert until(lambda: not alive(silent), LEASE + 3)
    # Its last word was a beat before, at most.
    assert time.monotonic() - started > LEASE / 2
    silent.send_signal(signal.SIGCONT)
    assert silent.stdin is not None
    assert silent.stdout is not None
    silent.stdin.write("again\n")
    silent.stdin.flush()
    assert silent.stdout.readline() == "1 True\n"
