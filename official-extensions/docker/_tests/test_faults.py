"""Faults of the daemon in every phase: typed errors in time, nothing left, and the next call works."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake_daemon import FakeDaemon, ending
from harnest.extensions.docker import DockerSandboxProvider, DockerScope, docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.daemon.faults import recognise
from harnest.extensions.docker.lib.daemon.port import DaemonFault, Fault
from harnest.extensions.docker.lib.errors import (
    DockerCleanupError,
    DockerImageError,
    DockerNetworkError,
    DockerProtocolError,
    DockerSandboxError,
    DockerServiceError,
    DockerStartError,
    DockerUnavailable,
)
from harnest.extensions.docker.lib.limits import API_SECONDS
from harnest.extensions.docker.lib.pid1 import wire

from conftest import AMPLE, patiently, until
from harnest.sandbox import SandboxContext, SandboxRequest, SandboxStatus
from harnest.sandbox.metadata import sandbox_metadata_to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Make = "Callable[..., tuple[FakeDaemon, DockerSandboxProvider]]"


@pytest.fixture
def made() -> Iterator[Callable[..., tuple[FakeDaemon, DockerSandboxProvider]]]:
    """Make providers on daemons in memory; after the test each is closed and its daemon is empty."""
    pairs: list[tuple[FakeDaemon, DockerSandboxProvider]] = []

    def make(**options: Any) -> tuple[FakeDaemon, DockerSandboxProvider]:
        daemon = FakeDaemon()
        config = DockerSandboxConfig(**{"image": "image", "timeout_seconds": 300, **options})
        pairs.append((daemon, DockerSandboxProvider(config, daemon)))
        return pairs[-1]

    yield make
    for daemon, provider in pairs:
        daemon.troubles.clear()
        provider.close()
        assert daemon.empty


def run(
    provider: DockerSandboxProvider, code: str = "hello", session: str = "s", **options: Any
) -> Any:
    """Run a program for a session."""
    context = SandboxContext(agent_name="a", user_id="u", session_id=session)
    return provider.execute(SandboxRequest(code=code, context=context, **options))


REDIS = {
    "services": (
        docker.service(name="queue", image="redis", readiness=docker.readiness(command=["ping"])),
    )
}


@pytest.mark.parametrize(
    ("method", "fault", "options", "error", "phase"),
    [
        ("server", Fault.UNREACHABLE, {}, DockerUnavailable, "daemon connection"),
        ("image", Fault.UNREACHABLE, {}, DockerUnavailable, "image resolution"),
        ("image", Fault.BROKEN, {}, DockerUnavailable, "image resolution"),
        ("pull", Fault.RATE_LIMITED, {}, DockerImageError, "image pull"),
        ("pull", Fault.DENIED, {}, DockerImageError, "image pull"),
        ("pull", Fault.NOT_FOUND, {}, DockerImageError, "image pull"),
        ("pull", Fault.NO_REGISTRY, {}, DockerImageError, "image pull"),
        ("pull", Fault.ARCHITECTURE, {}, DockerImageError, "image pull"),
        ("pull", Fault.NO_SPACE, {}, DockerImageError, "image pull"),
        ("create", Fault.REFUSED, {}, DockerStartError, "container creation"),
        ("create", Fault.NO_RUNTIME, {}, DockerStartError, "container creation"),
        ("create", Fault.UNREACHABLE, {}, DockerUnavailable, "container creation"),
        ("create", Fault.NOT_FOUND, {}, DockerStartError, "container creation"),
        ("attach", Fault.UNREACHABLE, {}, DockerUnavailable, "container start"),
        ("start", Fault.NO_PROGRAM, {}, DockerImageError, "container start"),
        ("start", Fault.REFUSED, {}, DockerStartError, "container start"),
        ("create_network", Fault.POOL_EXHAUSTED, REDIS, DockerNetworkError, "network creation"),
        ("create_network", Fault.UNREACHABLE, REDIS, DockerUnavailable, "network creation"),
        ("subnets", Fault.BROKEN, REDIS, DockerUnavailable, "network creation"),
    ],
)
def test_a_fault_is_a_typed_error_of_its_phase(
    made: Callable[..., Any],
    method: str,
    fault: Fault,
    options: dict[str, Any],
    error: type[DockerSandboxError],
    phase: str,
) -> None:
    """The error's type and phase say what failed, nothing is left, and the next call works."""
    daemon, provider = made(**options)
    if method == "pull":
        daemon.trouble("image", fault=Fault.NOT_FOUND)
    daemon.trouble(method, fault=fault)
    with pytest.raises(error) as caught:
        run(provider)
    assert caught.value.phase == phase
    assert fault.value in str(caught.value)
    assert caught.value.__cause__ is None
    assert daemon.empty
    assert run(provider).stdout == "hello"


def test_advice_names_the_setting_for_exhausted_address_pools(made: Callable[..., Any]) -> None:
    """An exhausted address pool is an error that says so and what to set."""
    daemon, provider = made(**REDIS)
    daemon.trouble("create_network", fault=Fault.POOL_EXHAUSTED)
    with pytest.raises(DockerNetworkError, match="HARNEST_DOCKER_SUBNETS"):
        run(provider)


@pytest.mark.parametrize("method", ["create", "create_network"])
def test_what_was_made_by_a_request_without_an_answer_is_found_and_removed(
    made: Callable[..., Any], method: str
) -> None:
    """A resource whose creation got no answer is found by its label and removed."""
    daemon, provider = made(**REDIS)
    daemon.trouble(method, fault=Fault.TIMEOUT, lost=True)
    with pytest.raises(DockerUnavailable):
        run(provider)
    assert daemon.empty
    assert run(provider).stdout == "hello"


class Slow(FakeDaemon):
    """A daemon that gives no answer to the first request for a container or network, and obeys later."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method
        self._late: tuple[Any, ...] | None = None

    def create(self, *request: Any) -> str:
        """Make a container, at another time if it is the first."""
        self._put_off("create", request)
        return super().create(*request)

    def create_network(self, *request: Any) -> str:
        """Make a network, at another time if it is the first."""
        self._put_off("create_network", request)
        return super().create_network(*request)

    def catch_up(self) -> None:
        """Make what was asked for first."""
        assert self._late is not None
        getattr(super(), self._method)(*self._late)

    def _put_off(self, method: str, request: tuple[Any, ...]) -> None:
        if method == self._method and self._late is None:
            self._late = request
            raise DaemonFault(Fault.TIMEOUT)


@pytest.mark.parametrize("method", ["create", "create_network"])
@pytest.mark.parametrize("then", ["a later call", "the end"])
def test_what_a_slow_daemon_makes_after_it_was_given_up_is_removed(method: str, then: str) -> None:
    """A daemon that was frozen makes it when nobody looks for it any more: the next removal takes it along."""
    daemon = Slow(method)
    provider = DockerSandboxProvider(DockerSandboxConfig(image="image", **REDIS), daemon)
    with pytest.raises(DockerUnavailable):
        run(provider)
    daemon.catch_up()
    assert not daemon.empty
    if then == "a later call":
        assert run(provider).stdout == "hello"
        assert daemon.empty
    provider.close()
    assert daemon.empty


def test_a_resource_of_the_same_name_that_is_not_ours_is_left_alone(
    made: Callable[..., Any],
) -> None:
    """A lost creation never leads to the removal of what somebody else has under that name."""
    daemon, provider = made()
    numbers = provider._engine.household._site.numbers
    numbers._allowed = range(20_000, 20_001)
    daemon.create("harnest-u20000", {"Labels": {"somebody": "else"}}, 1)
    daemon.trouble("create", fault=Fault.TIMEOUT)
    with pytest.raises(DockerUnavailable):
        run(provider)
    assert [item.name for item in daemon.kept.values()] == ["harnest-u20000"]
    daemon.kept.clear()


def test_a_taken_name_or_subnet_leads_to_the_next(made: Callable[..., Any]) -> None:
    """A user number or subnet that another process has is skipped."""
    daemon, provider = made(**REDIS)
    daemon.trouble("create", fault=Fault.CONFLICT, times=3)
    daemon.trouble("create_network", fault=Fault.OVERLAP, times=3)
    assert run(provider).stdout == "hello"
    assert daemon.calls.count("create_network") == 4


def test_a_removal_that_fails_blocks_new_containers_until_it_succeeds(
    made: Callable[..., Any],
) -> None:
    """The result is kept and says so; the next call is refused until the old container is gone."""
    daemon, provider = made()
    daemon.trouble("remove", fault=Fault.UNREACHABLE, times=2)
    first = run(provider)
    assert (first.stdout, sandbox_metadata_to_dict(first.metadata)["cleanup"]) == (
        "hello",
        "unconfirmed",
    )
    with pytest.raises(DockerCleanupError, match="1 earlier"):
        run(provider)
    assert daemon.calls.count("create") == 1
    assert run(provider).stdout == "hello"
    assert daemon.empty


def test_removal_in_progress_and_unknown_are_progress(made: Callable[..., Any]) -> None:
    """What is being removed is waited for; what is not known is gone."""
    daemon, provider = made()
    daemon.trouble("remove", fault=Fault.IN_PROGRESS, times=3)
    daemon.trouble("remove", fault=Fault.NOT_FOUND, lost=True)
    assert "cleanup" not in run(provider).metadata
    assert daemon.empty


def test_a_failed_eviction_refuses_the_new_identity(made: Callable[..., Any]) -> None:
    """An identity whose place could not be freed gets an error, and no container of somebody else."""
    daemon, provider = made(scope=DockerScope.SESSION, max_scopes=1)
    run(provider, session="a")
    daemon.trouble("remove", fault=Fault.UNREACHABLE, times=2)
    for _ in range(2):
        with pytest.raises(DockerCleanupError):
            run(provider, session="b")
    assert daemon.calls.count("create") == 1
    result = run(provider, session="b")
    assert sandbox_metadata_to_dict(result.metadata)["fresh"] is True
    assert len(daemon.kept) == 1


@pytest.mark.parametrize(
    ("facts", "promise"),
    [
        ({"CapEff": "0000000000000001"}, "no capabilities"),
        ({"NoNewPrivs": 0}, "no new privileges"),
        ({"Seccomp": 0}, "seccomp filter"),
        ({"Uid": 0}, "user"),
        ({"memory": "max"}, "memory limit"),
        ({"swap": "max"}, "swap limit"),
        ({"pids": "max"}, "process limit"),
        ({"cpu_max": "max/100000"}, "CPU limit"),
        ({"/tmp": 1 << 40}, "scratch limits"),
        ({"/dev/shm": 1 << 40}, "scratch limits"),
    ],
)
def test_a_limit_that_is_not_in_force_fails_closed(
    made: Callable[..., Any], facts: dict[str, object], promise: str
) -> None:
    """What the container reads of its own limits is compared with the plan before any program runs."""
    daemon, provider = made()
    daemon.facts = facts
    with pytest.raises(DockerStartError, match=promise):
        run(provider)
    assert daemon.empty


@pytest.mark.parametrize(
    "hello",
    [
        None,
        wire.pack(wire.STDOUT, b"x"),
        b"Z\0\0\0\0",
        b"H\xff\xff\xff\xff",
        wire.pack(wire.HELLO, b"no-value\n"),
        wire.pack(wire.HELLO, b"\xff \xff\n"),
    ],
)
def test_a_first_word_that_makes_no_sense_is_refused(
    made: Callable[..., Any], hello: bytes | None
) -> None:
    """A container that says something else than it should is not used."""
    daemon, provider = made()
    daemon.hello = hello
    with pytest.raises(DockerSandboxError) as caught:
        run(provider)
    assert caught.value.phase == "start verification"
    assert daemon.empty


@pytest.mark.parametrize(
    "said",
    [
        None,
        wire.pack(wire.HELLO, b""),
        b"?\0\0\0\0",
        b"O\x7f\xff\xff\xff",
        wire.pack(wire.EXIT, b"exit 0\n"),
        wire.pack(wire.EXIT, b"\xff"),
        wire.pack(wire.FILE, b"x"),
        wire.pack(wire.DATA, b"x"),
    ],
)
def test_a_run_that_makes_no_sense_is_a_protocol_error(
    made: Callable[..., Any], said: bytes | None
) -> None:
    """Frames that PID 1 never sends end the run with an error, and the container with it."""
    daemon, provider = made(scope=DockerScope.SESSION)
    daemon.programs = lambda _code: said
    with pytest.raises(DockerProtocolError):
        run(provider)
    assert daemon.empty
    daemon.programs = lambda code: wire.pack(wire.STDERR, code) + ending(exit=3)
    assert run(provider).exit_code == 3


def test_the_daemons_evidence_decides_when_pid_one_is_gone(made: Callable[..., Any]) -> None:
    """A container that the kernel killed for memory is the program's failure, not ours."""
    daemon, provider = made()

    def die(_code: bytes) -> None:
        for item in daemon.kept.values():
            item.oom_killed, item.exit_code = True, 137

    daemon.programs = die
    result = run(provider)
    assert (result.status, result.exit_code) == (SandboxStatus.FAILED, 137)
    assert result.metadata["reason"] == "out_of_memory"


def test_a_frozen_daemon_costs_the_deadline_and_a_second(made: Callable[..., Any]) -> None:
    """When creation and removal hang, the call is timed out in its phase; the next one recovers."""
    daemon, provider = made()
    provider._engine.household._site.tidied = True

    def attempt(seconds: int) -> Any:
        daemon.troubles.clear()
        daemon.trouble("create", seconds=600)
        daemon.trouble("containers", seconds=3)
        started = time.monotonic()
        result = run(provider, timeout_seconds=seconds)
        assert time.monotonic() - started < seconds + API_SECONDS / 2
        return result

    result = patiently(attempt, lambda _: "create" in daemon.calls)
    assert result.status is SandboxStatus.TIMED_OUT
    assert result.metadata["phase"] == "container creation"
    assert run(provider).stdout == "hello"


@pytest.mark.parametrize("method", ["server", "image", "create"])
def test_a_request_that_its_deadline_cuts_short_a_moment_too_early_is_timed_out(
    made: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """What the clocks of two timers differ by makes no error of a time-out."""
    daemon, provider = made()
    provider._engine.household._site.tidied = True

    def early(*arguments: Any) -> None:
        daemon.calls.append(method)
        time.sleep(max(0.0, arguments[-1] - 0.04))
        raise DaemonFault(Fault.TIMEOUT)

    def attempt(seconds: int) -> Any:
        return run(provider, timeout_seconds=seconds)

    monkeypatch.setattr(daemon, method, early)
    result = patiently(attempt, lambda _: method in daemon.calls)
    assert (result.status, result.metadata["reason"]) == (SandboxStatus.TIMED_OUT, "deadline")


def test_a_silent_program_is_killed_by_the_daemon_after_its_deadline(
    made: Callable[..., Any],
) -> None:
    """When PID 1 does not keep the deadline the host ends the container soon after it."""
    daemon, provider = made()
    begun: list[bytes] = []

    def begin(code: bytes) -> bytes:
        begun.append(code)
        return wire.pack(wire.STDOUT, b"before")

    def attempt(seconds: int) -> Any:
        started = time.monotonic()
        result = run(provider, timeout_seconds=seconds)
        assert seconds < time.monotonic() - started < seconds + AMPLE
        return result

    daemon.programs = begin
    result = patiently(attempt, lambda _: begun)
    assert (result.status, result.stdout) == (SandboxStatus.TIMED_OUT, "before")
    assert "kill" in daemon.calls
    # After its deadline a call waits for the removal no longer than half a second.
    assert until(lambda: daemon.empty)


def test_a_service_that_ends_is_an_error_with_its_exit_code(made: Callable[..., Any]) -> None:
    """A service that ended while it was waited for is named, with its exit code."""
    daemon, provider = made(**REDIS)

    def start(container: str, timeout: float) -> None:
        FakeDaemon.start(daemon, container, timeout)
        item = daemon._get(container)
        if item.channel is None:
            item.status, item.exit_code = "exited", 3

    daemon.start = start  # type: ignore[method-assign]  # this daemon's services end at once
    with pytest.raises(DockerServiceError, match="exit code 3") as caught:
        run(provider)
    assert caught.value.phase == "service 'queue' readiness"
    assert daemon.empty


def test_messages_hold_no_image_code_or_identity(made: Callable[..., Any]) -> None:
    """No error repeats the image's reference, the code, or who asked."""
    daemon, provider = made(image="registry.example/secret-image")
    daemon.trouble("create", fault=Fault.REFUSED)
    with pytest.raises(DockerSandboxError) as caught:
        run(provider, code="secret-code", session="secret-session")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "text", "fault"),
    [
        (404, "No such image: x", Fault.NOT_FOUND),
        (409, "Conflict. The container name is already in use", Fault.CONFLICT),
        (409, "removal of container x is already in progress", Fault.IN_PROGRESS),
        (429, "", Fault.RATE_LIMITED),
        (500, "toomanyrequests: You have reached your pull rate limit", Fault.RATE_LIMITED),
        (404, "pull access denied for x, repository does not exist", Fault.DENIED),
        (404, "manifest for x not found: manifest unknown", Fault.NOT_FOUND),
        (404, "no matching manifest for linux/arm64", Fault.ARCHITECTURE),
        (400, 'exec: "python3": executable file not found in $PATH', Fault.NO_PROGRAM),
        (403, "Pool overlaps with other one on this address space", Fault.OVERLAP),
        (
            400,
            "could not find an available, non-overlapping IPv4 address pool among the defaults",
            Fault.POOL_EXHAUSTED,
        ),
        (404, "all predefined address pools have been fully subnetted", Fault.POOL_EXHAUSTED),
        (400, "Unknown runtime specified nope", Fault.NO_RUNTIME),
        (500, "write /x: no space left on device", Fault.NO_SPACE),
        (500, "dial tcp: lookup registry on 1.1.1.1:53: no such host", Fault.NO_REGISTRY),
        (500, "something new", Fault.REFUSED),
    ],
)
def test_the_daemons_refusals_are_told_apart(status: int, text: str, fault: Fault) -> None:
    """Status and words of the daemon lead to one kind of fault."""
    assert recognise(status, text) is fault


def test_logs_and_spans_can_be_joined(
    made: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Every record names the extension and the topology, those of services the service; no payload."""
    _, provider = made(**REDIS)
    with caplog.at_level("INFO", logger="harnest.agent.docker"):
        result = run(provider, code="secret-code", session="secret-session")
    phases = [record for record in caplog.records if record.getMessage() == "docker.phase"]
    topology = result.metadata["topology"]
    assert phases
    for record in phases:
        fields = vars(record)
        assert fields["harnest.extension.name"] == "docker"
        assert fields["harnest.docker.status"] == "ok"
        assert fields["harnest.docker.duration_ms"] >= 0
        assert "secret" not in repr(fields)
        if fields["harnest.docker.phase"].startswith("service"):
            assert fields["harnest.docker.service.name"] == "queue"
    joined = {
        vars(record)["harnest.docker.phase"]
        for record in phases
        if vars(record)["harnest.docker.topology_id"] == topology
    }
    assert joined >= {
        "network creation",
        "container creation",
        "container start",
        "service 'queue' readiness",
        "execution",
        "cleanup",
    }


def test_an_idle_container_that_cannot_be_told_is_replaced(made: Callable[..., Any]) -> None:
    """A heartbeat that does not go through marks the container; the next call gets another one."""
    daemon, provider = made(scope=DockerScope.SESSION)
    run(provider)
    (first,) = daemon.kept
    daemon.kept[first].channel.end()
    provider._engine.household._beat()
    result = run(provider)
    assert sandbox_metadata_to_dict(result.metadata)["fresh"] is True
    assert first not in daemon.kept


SPANS = """\
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

kept = InMemorySpanExporter()
tracing = TracerProvider()
tracing.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(tracing)
import json, sys
sys.path.insert(0, sys.argv[1])
from fake_daemon import FakeDaemon
from harnest.extensions.docker import DockerSandboxProvider, docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.daemon.port import Fault
from harnest.sandbox import SandboxExecutionError, SandboxRequest

service = docker.service(name="queue", image="redis", readiness=docker.readiness(command=["ping"]))
daemon = FakeDaemon()
provider = DockerSandboxProvider(DockerSandboxConfig(image="secret-image", services=(service,)), daemon)
provider.execute(SandboxRequest(code="secret-code"))
daemon.trouble("start", fault=Fault.REFUSED)
try: provider.execute(SandboxRequest(code="secret-code"))
except SandboxExecutionError: pass
provider.close()
print(json.dumps([[s.name, dict(s.attributes), len(s.events)] for s in kept.get_finished_spans()]))
"""


def test_spans_carry_what_joins_them_and_no_payload() -> None:
    """Each phase is a span with extension, topology, service, duration and status; a failed one too."""
    pytest.importorskip("opentelemetry.sdk", reason="the tracing SDK shows spans")
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", SPANS, folder],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "secret" not in done.stdout
    spans = json.loads(done.stdout)
    assert all(attributes["harnest.extension.name"] == "docker" for _, attributes, _ in spans)
    assert all(attributes["harnest.docker.duration_ms"] >= 0 for _, attributes, _ in spans)
    assert all(events == 0 for _, _, events in spans)
    named = {name for name, attributes, _ in spans if attributes.get("harnest.docker.service.name")}
    assert "docker service 'queue' readiness" in named
    failed = [name for name, attributes, _ in spans if attributes["harnest.docker.status"] != "ok"]
    assert failed == ["docker container start"]
