"""Who decides that a service is ready: the engine's health check or our own probe; what engines tell."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from fake_daemon import FakeDaemon, ending
from harnest.extensions.docker import DockerSandboxProvider, docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.daemon.port import Fault
from harnest.extensions.docker.lib.errors import DockerServiceError
from harnest.extensions.docker.lib.pid1 import wire

from conftest import IDENTITY, patiently
from harnest.sandbox import SandboxRequest, SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fake_daemon import FakeChannel
    from harnest.extensions.docker.lib.daemon.port import Server


class Checked(FakeDaemon):
    """A daemon whose services have a health from their start on."""

    def __init__(self, health: str) -> None:
        super().__init__()
        self._health = health

    def start(self, container: str, timeout: float) -> None:
        """Let a container run."""
        super().start(container, timeout)
        item = self._get(container)
        if item.channel is None:
            item.health = self._health


@pytest.fixture
def made() -> Iterator[Callable[..., Any]]:
    """Make a provider with one service on a daemon whose services have a health."""
    pairs: list[tuple[FakeDaemon, DockerSandboxProvider]] = []

    def make(health: str, **timing: Any) -> tuple[FakeDaemon, DockerSandboxProvider]:
        queue = docker.service(
            name="queue", image="redis", readiness=docker.readiness(command=["ping"], **timing)
        )
        config = DockerSandboxConfig(image="image", timeout_seconds=30, services=(queue,))
        daemon = Checked(health)
        pairs.append((daemon, DockerSandboxProvider(config, daemon)))
        return pairs[-1]

    yield make
    for daemon, provider in pairs:
        daemon.troubles.clear()
        provider.close()
        assert daemon.empty


REQUEST = SandboxRequest(code="hello", context=IDENTITY)


def test_our_own_probe_is_faster_than_the_engines_check(made: Callable[..., Any]) -> None:
    """While the engine still says ``starting``, a probe that succeeds is enough."""
    daemon, provider = made("starting")
    assert provider.execute(REQUEST).stdout == "hello"
    assert "run_in" in daemon.calls


def test_the_engines_check_is_enough_and_spares_the_probe(made: Callable[..., Any]) -> None:
    """What the engine found healthy is not probed again."""
    daemon, provider = made("healthy")
    assert provider.execute(REQUEST).stdout == "hello"
    assert "run_in" not in daemon.calls


def test_an_unhealthy_service_is_an_error_at_once(made: Callable[..., Any]) -> None:
    """Once the engine has given up there is no waiting for the declared attempts."""
    daemon, provider = made("unhealthy", retries=100, interval_seconds=60)
    daemon.trouble("run_in", fault=Fault.REFUSED, times=100)
    # To wait for them all would take longer than the call has.
    with pytest.raises(DockerServiceError, match="not ready"):
        provider.execute(REQUEST)


def test_a_probe_that_hangs_is_not_started_beside_itself(made: Callable[..., Any]) -> None:
    """After one probe that hung the engine's check alone decides."""
    daemon, provider = made("starting", retries=3, interval_seconds=0.1, timeout_seconds=0.1)
    daemon.trouble("run_in", seconds=60)
    with pytest.raises(DockerServiceError, match="not ready"):
        provider.execute(REQUEST)
    assert daemon.calls.count("run_in") == 1


def tcp(daemon: FakeDaemon, answers: Callable[[FakeChannel], None]) -> DockerSandboxProvider:
    """Declare a service with a port, and let *answers* say what comes of each look at it."""
    queue = docker.service(
        name="queue", image="redis", readiness=docker.readiness(tcp=1, timeout_seconds=0.1)
    )

    def run(code: bytes) -> bytes:
        if b"create_connection" not in code:
            return wire.pack(wire.STDOUT, code) + ending()
        answers(next(item.channel for item in daemon.kept.values() if item.channel is not None))
        return b""

    daemon.programs = run
    return DockerSandboxProvider(DockerSandboxConfig(image="image", services=(queue,)), daemon)


def test_a_container_may_be_late_to_say_how_a_look_ended() -> None:
    """A primary container that needs a second to say what its look at a port came to is not lost."""
    daemon = FakeDaemon()
    provider = tcp(daemon, lambda channel: threading.Timer(1, channel.say, [ending()]).start())
    assert provider.execute(REQUEST).stdout == "hello"
    provider.close()
    assert daemon.empty


def test_a_deadline_while_a_look_at_a_port_goes_on_is_one() -> None:
    """A look that has no answer at the call's deadline is a time-out, not a container that ended."""
    daemon = FakeDaemon()
    looks: list[FakeChannel] = []
    provider = tcp(daemon, looks.append)
    result = patiently(
        lambda seconds: provider.execute(replace(REQUEST, timeout_seconds=seconds)),
        lambda _: looks,
    )
    assert (result.status, result.metadata["phase"]) == (
        SandboxStatus.TIMED_OUT,
        "service 'queue' readiness",
    )
    provider.close()
    assert daemon.empty


class Told(FakeDaemon):
    """A daemon that says something else of itself."""

    def __init__(self, **facts: Any) -> None:
        super().__init__()
        self._facts = facts

    def server(self, timeout: float) -> Server:
        """Return what the daemon says of itself."""
        return replace(super().server(timeout), **self._facts)


@pytest.mark.parametrize(
    ("facts", "row", "state"),
    [
        ({"rootless": True}, "rootless", "degraded"),
        ({"machine": "mips"}, "architecture", "unavailable"),
        ({"system": "windows"}, "architecture", "unavailable"),
        ({"local": False}, "host-broadcast", "degraded"),
    ],
)
def test_the_diagnosis_says_what_kind_of_engine_it_is(
    facts: dict[str, Any], row: str, state: str
) -> None:
    """Rootless, foreign and remote engines are told apart, each with what follows from it."""
    daemon = Told(**facts)
    provider = DockerSandboxProvider(DockerSandboxConfig(image="image"), daemon)
    found = {item.name: item for item in provider.diagnose()}
    assert (found[row].state.value, bool(found[row].remedy)) == (state, True)
    provider.close()
    assert daemon.empty
