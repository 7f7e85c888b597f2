"""A daemon that dies, freezes, restarts or has no addresses left: typed errors in time, then recovery."""

from __future__ import annotations

import ipaddress
import itertools
import random
import time
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerSandboxProvider, DockerScope, docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.daemon.port import DaemonFault, Fault
from harnest.extensions.docker.lib.daemon.sdk import SdkDaemon
from harnest.extensions.docker.lib.errors import (
    DockerCleanupError,
    DockerNetworkError,
    DockerSandboxError,
    DockerUnavailable,
)
from harnest.extensions.docker.lib.limits import API_SECONDS, CLEANUP_SECONDS
from harnest.extensions.docker.lib.plan.network import free_subnets, host_routes
from harnest.extensions.docker.lib.settings import Settings
from own_daemon import ADDRESS_POOL, IMAGE, OwnDaemon, missing

from conftest import AMPLE, IDENTITY, command, patiently, until
from harnest.sandbox import SandboxRequest, SandboxResult, control

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.docker
DEADLINE = 1
"""What a call has left when its daemon fails, in seconds."""
LATER = API_SECONDS / 2
"""A call that ends so long after its deadline did not wait for a request that nothing else bounds, in seconds."""


@pytest.fixture(scope="module")
def nested(daemon: None) -> Iterator[OwnDaemon]:
    """A daemon of this module's own; it is removed whatever happens, and the found one is as before."""
    if reason := missing():
        pytest.skip(reason)
    found = command("info", "--format", "{{.ID}}")
    one = OwnDaemon()
    try:
        yield one
    finally:
        one.remove()
    assert command("info", "--format", "{{.ID}}") == found


class Before:
    """The daemon port, with an *event* just before the next request *method*, or just after it."""

    def __init__(self, daemon: SdkDaemon) -> None:
        self._daemon = daemon
        self._armed: tuple[str, Callable[[], None], bool] | None = None

    def arm(self, method: str, event: Callable[[], None], *, after: bool = False) -> None:
        """Let *event* happen once."""
        self._armed = (method, event, after)

    def __getattr__(self, name: str) -> Any:
        request = getattr(self._daemon, name)
        if self._armed is None or self._armed[0] != name:
            return request
        (_, event, after), self._armed = self._armed, None

        def disturbed(*arguments: Any, **options: Any) -> Any:
            if after:
                answer = request(*arguments, **options)
                event()
                return answer
            event()
            # Its time, the last argument, was taken from a deadline that may be nearer now.
            *others, seconds = arguments
            scope = control.current()
            left = None if scope is None else scope.remaining()
            return request(*others, seconds if left is None else min(seconds, left), **options)

        return disturbed


class Client:
    """One provider on the test's own daemon."""

    def __init__(self, own: OwnDaemon, **options: Any) -> None:
        config = DockerSandboxConfig(**{"image": IMAGE, "timeout_seconds": 120, **options})
        self._own = own
        self._since = 0.0
        self.port = Before(SdkDaemon(own.address))
        self.provider = DockerSandboxProvider(config, self.port)

    def disturb(self, event: str) -> None:
        """Let the daemon fail; with a frozen one the call that runs in this thread has :data:`DEADLINE` left."""
        getattr(self._own, event)()
        self._since = time.monotonic()
        scope = control.current()
        # What other failures come to needs no deadline, which a slow machine could come to first.
        if scope is not None and event == "freeze":
            scope.constrain(DEADLINE)

    def run(self, code: str = "print(1)", **options: Any) -> SandboxResult:
        """Run a program."""
        return self.provider.execute(SandboxRequest(code=code, context=IDENTITY, **options))

    def outcome(
        self,
        code: str = "print(1)",
        *,
        seconds: int | None = None,
        on_output: Callable[..., None] | None = None,
    ) -> tuple[str, str]:
        """Return how and in which phase a call ended, in time after the daemon failed."""
        request = SandboxRequest(code=code, context=IDENTITY, timeout_seconds=seconds)
        self._since = time.monotonic()
        try:
            if on_output is None:
                result = self.provider.execute(request)
            else:
                result = self.provider.execute_streaming(request, on_output)
            outcome = result.status.value, str(result.metadata["phase"])
        except DockerSandboxError as error:
            # Nothing of the SDK's errors, which hold addresses and more, can be reached from it.
            outcome = type(error).__name__, error.phase if error.__context__ is None else "leaks"
        assert time.monotonic() - self._since < (seconds or DEADLINE) + LATER
        return outcome


@pytest.fixture
def client(nested: OwnDaemon) -> Iterator[Callable[..., Client]]:
    """Make clients; after the test the daemon is back, they close, and nothing of ours is on it."""
    clients: list[Client] = []

    def make(**options: Any) -> Client:
        clients.append(Client(nested, **options))
        return clients[-1]

    yield make
    nested.back()

    def empty() -> bool:
        # What the daemon makes only now, long after it was given up, goes with another look, and what
        # takes longer than one attempt has with another one.
        try:
            for item in clients:
                item.provider.close()
        except DockerCleanupError:
            return False
        return nested.left() == []

    assert until(empty), nested.left()


def service() -> dict[str, Any]:
    """Declare a topology with one service and a readiness command."""
    return {
        "services": (
            docker.service(
                name="queue",
                image=IMAGE,
                command=["python3", "-c", "import time; time.sleep(600)"],
                readiness=docker.readiness(command=["python3", "-c", ""]),
            ),
        )
    }


PHASES = [
    ("server", "daemon connection", {}),
    ("image", "image resolution", {}),
    ("create_network", "network creation", service()),
    ("create", "container creation", {}),
    ("attach", "container start", {}),
    ("start", "container start", {}),
    ("run_in", "service 'queue' readiness", service()),
]


FAILURES = [
    *(("kill", "DockerUnavailable", *case) for case in PHASES),
    *(("freeze", "timed_out", *case) for case in PHASES),
    ("freeze", "timed_out", "containers", "daemon connection", {}),
]


@pytest.mark.parametrize(("event", "kind", "method", "phase", "options"), FAILURES)
def test_a_daemon_that_fails_is_told_in_its_phase(
    nested: OwnDaemon,
    client: Callable[..., Client],
    event: str,
    kind: str,
    method: str,
    phase: str,
    options: dict[str, Any],
) -> None:
    """Just before a request it is killed: unavailable; or frozen: late. When it is back all works."""
    one = client(**options)
    one.port.arm(method, lambda: one.disturb(event))
    assert one.outcome() == (kind, phase)
    nested.back()
    assert one.run("print(2)").stdout == "2\n"


@pytest.mark.parametrize("method", ["create", "start"])
def test_a_daemon_that_restarts_in_between_is_survived(
    nested: OwnDaemon, client: Callable[..., Client], method: str
) -> None:
    """A restart between two requests ends in a result or a typed error, and the next call works."""
    one = client()
    one.port.arm(method, lambda: one.disturb("restart"))
    kind, phase = one.outcome()
    assert kind in {"succeeded", "timed_out", "DockerUnavailable", "DockerStartError"}
    assert phase in {"container creation", "container start", "start verification", "execution"}
    assert one.run("print(2)").stdout == "2\n"


def test_a_daemon_that_dies_with_a_started_container_is_a_typed_error(
    nested: OwnDaemon, client: Callable[..., Client]
) -> None:
    """Killed right after the start, before the container's first word, it is a typed error too."""
    one = client()
    one.port.arm("start", lambda: one.disturb("kill"), after=True)
    assert one.outcome() in {
        ("DockerUnavailable", "start verification"),
        ("DockerProtocolError", "execution"),
    }
    nested.back()
    assert one.run("print(2)").stdout == "2\n"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("kill", ("DockerProtocolError", "execution")),
        ("restart", ("DockerProtocolError", "execution")),
        ("freeze", ("timed_out", "execution")),
    ],
)
@pytest.mark.parametrize("scope", list(DockerScope)[::2])
def test_a_daemon_that_fails_under_a_running_program_ends_the_call(
    nested: OwnDaemon,
    client: Callable[..., Client],
    event: str,
    expected: tuple[str, str],
    scope: DockerScope,
) -> None:
    """The call ends in time and in the phase execution, in a fresh or retained container."""
    one = client(scope=scope)
    assert one.run("open('/tmp/kept', 'w')").exit_code == 0
    heard: list[str] = []

    def hear(_stream: object, text: str) -> None:
        heard.append(text)
        one.disturb(event)

    program = "import time; print('begun', flush=True); time.sleep(600)"
    assert one.outcome(program, on_output=hear) == expected
    assert heard == ["begun\n"]
    nested.back()
    assert one.run("import os; print(os.listdir('/tmp'))").stdout == "[]\n"


@pytest.mark.parametrize("event", ["kill", "freeze"])
def test_a_daemon_that_fails_during_removal_blocks_new_containers_until_it_is_back(
    nested: OwnDaemon, client: Callable[..., Client], event: str
) -> None:
    """The answer is kept and says that removal is unconfirmed; then calls are refused, then work."""
    one = client()
    one.port.arm("remove", lambda: one.disturb(event))
    started = time.monotonic()
    result = one.run("print(1)", timeout_seconds=60)
    assert time.monotonic() - started < 60
    assert (result.stdout, result.metadata["cleanup"]) == ("1\n", "unconfirmed")
    assert one.outcome(seconds=DEADLINE) in {
        ("DockerCleanupError", "cleanup"),
        ("timed_out", "cleanup"),
    }
    nested.back()
    assert one.run("print(2)").stdout == "2\n"
    assert nested.left() == []


@pytest.mark.parametrize("event", ["kill", "freeze", "restart"])
@pytest.mark.parametrize("kept", ["retained", "warm"])
def test_kept_containers_do_not_outlive_their_daemon_unnoticed(
    nested: OwnDaemon, client: Callable[..., Client], event: str, kept: str
) -> None:
    """A retained or waiting container whose daemon failed is given to nobody; a fresh one follows."""
    one = client(**({"scope": DockerScope.SESSION} if kept == "retained" else {"warm": 1}))
    one.run("open('/tmp/kept', 'w')")
    if kept == "warm":
        pool = one.provider._engine.household._pool
        assert until(lambda: len(pool._ready) == 1)
    one.disturb(event)
    # Only who is frozen lets a call wait for its deadline.
    seconds = DEADLINE if event == "freeze" else None
    unavailable = {("DockerCleanupError", "cleanup"), ("DockerUnavailable", "container creation")}
    assert (
        one.outcome("print(2)", seconds=seconds)
        in {
            "kill": unavailable,
            "freeze": {("timed_out", "execution")},
            "restart": {("succeeded", "execution"), *unavailable},
        }[event]
    )
    nested.back()
    assert one.run("import os; print(os.listdir('/tmp'))").stdout == "[]\n"


def test_close_is_bounded_with_a_frozen_daemon_and_can_be_repeated(
    nested: OwnDaemon, client: Callable[..., Client]
) -> None:
    """Closing gives up in its time and says so; closing again, with the daemon back, finishes."""
    one = client(scope=DockerScope.SESSION)
    one.run()
    nested.freeze()
    started = time.monotonic()
    with pytest.raises(DockerCleanupError):
        one.provider.close()
    assert time.monotonic() - started < CLEANUP_SECONDS + LATER
    nested.back()
    one.provider.close()
    assert nested.left() == []


def test_operators_get_a_typed_error_from_a_dead_daemon(
    nested: OwnDaemon, client: Callable[..., Client]
) -> None:
    """Listing and pruning say that no daemon answers; diagnosing reports it."""
    one = client()
    nested.kill()
    for ask in (one.provider.inventory, one.provider.prune):
        with pytest.raises(DockerUnavailable, match="no daemon answers"):
            ask()
    assert "unavailable" in {item.state.value for item in one.provider.diagnose()}


def test_the_daemons_own_words_for_exhausted_addresses_are_recognised(nested: OwnDaemon) -> None:
    """When the daemon has no subnet left to choose from, the fault says exactly that."""
    asked = SdkDaemon(nested.address)
    made: list[str] = []
    try:
        with pytest.raises(DaemonFault) as caught, asked._clients.lent(AMPLE) as client:
            made.extend(client.create_network(f"full-{number}")["Id"] for number in range(4))
        assert caught.value.fault is Fault.POOL_EXHAUSTED
        assert len(made) == 2
        pool = ipaddress.IPv4Network(ADDRESS_POOL)
        assert {ipaddress.IPv4Network(text) for text in nested.subnets()} == set(pool.subnets(1))
    finally:
        for network in made:
            asked.remove_network(network, AMPLE)
        asked.close()


@pytest.fixture
def occupied(nested: OwnDaemon) -> Iterator[Callable[[str], None]]:
    """Occupy subnets with networks of somebody else."""
    names: list[str] = []

    def occupy(subnet: str) -> None:
        names.append(f"other-{len(names)}")
        nested.command("network", "create", "--subnet", subnet, names[-1])

    yield occupy
    for name in names:
        if name in nested.command("network", "ls", "--format", "{{.Name}}").split():
            nested.command("network", "rm", name)


def test_a_full_range_is_a_typed_error_that_says_so(
    nested: OwnDaemon,
    client: Callable[..., Client],
    occupied: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With every subnet of the operator's range taken, the error names the range's setting; nothing is left."""
    monkeypatch.setenv("HARNEST_DOCKER_SUBNETS", "10.98.0.0/27")
    occupied("10.98.0.0/28")
    occupied("10.98.0.16/28")
    one = client(**service())
    with pytest.raises(DockerNetworkError, match="no address space left") as caught:
        one.run()
    assert caught.value.phase == "network creation"
    assert "HARNEST_DOCKER_SUBNETS" in str(caught.value)
    assert nested.left() == []
    nested.command("network", "rm", "other-1")
    assert one.run("print(2)").stdout == "2\n"


class Blind(Before):
    """A port whose list of subnets is always out of date: it lacks what others took a moment ago."""

    def subnets(self, timeout: float) -> list[str]:
        """Return no subnet."""
        return []


def test_a_subnet_that_somebody_took_first_leads_to_the_next(
    nested: OwnDaemon, occupied: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon refuses a subnet that overlaps another; the next one of the range is taken."""
    monkeypatch.setenv("HARNEST_DOCKER_SUBNETS", "10.98.1.0/28,10.98.2.0/28")
    occupied("10.98.1.0/28")
    seen: list[str] = []
    port = Blind(SdkDaemon(nested.address))
    config = DockerSandboxConfig(image=IMAGE, timeout_seconds=120, **service())
    provider = DockerSandboxProvider(config, port)
    port.arm("run_in", lambda: seen.extend(nested.subnets()))
    try:
        assert provider.execute(SandboxRequest(code="print(1)", context=IDENTITY)).stdout == "1\n"
    finally:
        provider.close()
    assert sorted(seen) == ["10.98.1.0/28", "10.98.2.0/28"]
    assert nested.left() == []


def test_no_subnet_of_the_host_is_given_to_a_network(
    nested: OwnDaemon, client: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A range that the host has a route into is skipped where the route is, and used elsewhere."""

    def attempt(_: int) -> tuple[ipaddress.IPv4Network, list[str]]:
        routes = [route for route in host_routes() if 8 <= route.prefixlen <= 28]
        assert routes, "a host with a daemon has a route to its bridge"
        taken = ipaddress.IPv4Network((int(routes[0].network_address), 28))
        monkeypatch.setenv("HARNEST_DOCKER_SUBNETS", f"{taken},10.98.3.0/28")
        seen: list[str] = []
        one = client(**service())
        one.port.arm("run_in", lambda: seen.extend(nested.subnets()))
        assert one.run().stdout == "1\n"
        return routes[0], seen

    # A route of somebody's network goes with that network.
    _, seen = patiently(attempt, lambda came: came[0] in host_routes())
    assert seen == ["10.98.3.0/28"]


def test_the_default_ranges_hold_no_route_of_this_host() -> None:
    """Whatever place the choice starts from, no subnet overlaps a route of the host."""
    routes = host_routes()
    choice = random.Random(1)
    for _ in range(20):
        subnets = free_subnets(Settings.read({}).subnets, routes, choice)
        first = list(itertools.islice(subnets, 50))
        assert len(first) == 50
        assert not [subnet for subnet in first if any(map(subnet.overlaps, routes))]
