"""Services beside the program: started, ready, found by name, watched, and removed with it."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerScope, DockerService, docker

from conftest import Box, command, meta, ours, patiently, phases
from harnest.sandbox import SandboxBudget, SandboxExecutionError, SandboxResult, SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.docker
SMALL = SandboxBudget(memory_bytes=96 << 20, scratch_bytes=16 << 20)
PATIENT = {"retries": 100, "interval_seconds": 60}
"""Longer than a call may take: who waits for all of it has no error to tell."""


def redis(name: str = "queue", **options: Any) -> DockerService:
    """Declare a Redis."""
    options.setdefault("readiness", docker.readiness(command=["redis-cli", "ping"]))
    return docker.service(
        name=name, image="harnest-test/redis", ports=[6379], budget=SMALL, **options
    )


def program(name: str, code: str, **options: Any) -> DockerService:
    """Declare a service that runs some Python."""
    return docker.service(
        name=name,
        image="harnest-test/python",
        command=["python3", "-u", "-c", code],
        budget=SMALL,
        **options,
    )


PING = (
    "import socket, sys\n"
    "def ping(host):\n"
    "    link = socket.create_connection((host, 6379), 60)\n"
    "    link.sendall(b'PING\\r\\n')\n"
    "    return link.recv(7).decode().strip()\n"
)


def test_a_redis_answers_by_its_name_and_aliases(box: Callable[..., Box]) -> None:
    """A service is ready when the program begins, by name and alias; its VOLUME is bounded scratch."""
    one = box(services=[redis(aliases=["cache", "q2"])])
    seen: list[dict[str, Any]] = []

    def look(*_: object) -> None:
        seen.extend(json.loads(command("inspect", *ours())))

    result = one.provider.execute_streaming(
        _request(PING + "print(ping('queue'), ping('cache'), ping('q2'))\ninput"), look
    )
    assert result.stdout == "+PONG +PONG +PONG\n", (result.stderr, meta(result))
    containers = [item for item in seen if "HostConfig" in item]
    (network,) = [item for item in seen if "IPAM" in item]
    assert len(containers) == 2
    for container in containers:
        assert container["Mounts"] == []
        assert not container["HostConfig"]["PortBindings"]
        assert container["Config"]["Labels"]["dev.harnest.topology"] == meta(result)["topology"]
    service = next(
        item for item in containers if item["Config"]["Labels"].get("dev.harnest.service")
    )
    assert service["Config"]["Healthcheck"]["Test"] == ["CMD", "redis-cli", "ping"]
    assert "/data" in service["HostConfig"]["Tmpfs"]
    assert network["Internal"] is True
    assert ours() == []


def _request(code: str, **options: Any) -> Any:
    from harnest.sandbox import SandboxRequest  # noqa: PLC0415 - beside its one use

    return SandboxRequest(code=code, **options)


def test_a_postgres_answers(box: Callable[..., Box]) -> None:
    """PostgreSQL runs as its own user on a read-only root with its data in bounded scratch."""
    postgres = docker.service(
        name="db",
        image="harnest-test/postgres",
        user="999:999",
        ports=[5432],
        readiness=docker.readiness(command=["/usr/local/pgsql/pg_isready", "-h", "127.0.0.1"]),
        budget=SandboxBudget(memory_bytes=256 << 20, scratch_bytes=160 << 20),
    )
    one = box(services=[postgres])
    result = one.run(
        "import socket, struct\n"
        "link = socket.create_connection(('db', 5432), 60)\n"
        "body = struct.pack('>I', 196608) + b'user\\0postgres\\0\\0'\n"
        "link.sendall(struct.pack('>I', len(body) + 4) + body)\n"
        "print(link.recv(9))"
    )
    assert result.stdout.startswith("b'R\\x00\\x00\\x00\\x08\\x00\\x00\\x00\\x00'"), (
        result.stderr,
        meta(result),
    )


def test_services_start_by_their_dependencies(box: Callable[..., Box]) -> None:
    """With ``depends_on`` a service starts once those that it names are ready."""
    late = program(
        "late",
        "import socket, time\n"
        "socket.create_connection(('early', 6379), 60).close(); print('saw early'); time.sleep(600)",
        depends_on=["early"],
        readiness=docker.readiness(log="saw early"),
    )
    one = box(services=[late, redis("early")])
    result = one.run(PING + "print(ping('early'))")
    assert result.stdout == "+PONG\n", (result.stderr, meta(result))


@pytest.mark.parametrize(
    "readiness",
    [docker.readiness(tcp=8000), docker.readiness(log="listening")],
    ids=["tcp", "log"],
)
def test_readiness_by_port_and_by_log(box: Callable[..., Box], readiness: Any) -> None:
    """A program does not run before the service listens, or has said its text."""
    code = (
        "import socket, time\ntime.sleep(1)\nserver = socket.create_server(('', 8000))\n"
        "print('list' + 'ening')\n"
        "while True: server.accept()[0].sendall(b'hello')"
    )
    one = box(services=[program("web", code, readiness=readiness)])
    result = one.run("import socket; print(socket.create_connection(('web', 8000), 60).recv(5))")
    assert result.stdout == "b'hello'\n", (result.stderr, meta(result))


@pytest.mark.parametrize(
    ("code", "options", "words"),
    [
        ("raise SystemExit(0)", PATIENT, "exit code 0"),
        ("raise SystemExit(3)", PATIENT, "exit code 3"),
        ("x = bytearray(1 << 30)", PATIENT, "exit code 137"),
        (
            "import time; time.sleep(600)",
            {"retries": 2, "interval_seconds": 0.1, "timeout_seconds": 0.2},
            "not ready",
        ),
    ],
    ids=["exits-0", "exits-3", "out-of-memory", "never-ready"],
)
def test_a_service_that_fails_is_a_typed_error(
    box: Callable[..., Box], code: str, options: dict[str, Any], words: str
) -> None:
    """The error names the service and its exit code at once, no program ran, and nothing is left."""
    one = box(services=[program("web", code, readiness=docker.readiness(tcp=8000, **options))])
    with pytest.raises(SandboxExecutionError, match=words) as caught:
        one.run("print(1)")
    assert getattr(caught.value, "phase", "") == "service 'web' readiness"
    assert "harnest-test" not in str(caught.value)
    assert "sleep" not in str(caught.value)
    assert ours() == []


def test_a_service_that_floods_its_log_holds_nothing(box: Callable[..., Box]) -> None:
    """A service that writes without end neither blocks nor fills the host."""
    code = "import sys\nprint('ready', flush=True)\nwhile True: sys.stdout.write('x' * 65536)"
    one = box(services=[program("loud", code, readiness=docker.readiness(log="ready"))])
    assert one.run("print(1)").stdout == "1\n"


def test_a_service_that_dies_later_refuses_the_next_call_and_is_rebuilt(
    box: Callable[..., Box],
) -> None:
    """In a retained topology a dead service is an error once, and a new topology after it."""
    one = box(services=[redis()], scope=DockerScope.SESSION)
    assert one.run(PING + "print(ping('queue')); open('/tmp/kept', 'w')").stdout == "+PONG\n"
    listing = command("ps", "--format", '{{.ID}} {{.Label "dev.harnest.service"}}')
    (service,) = [
        line.split()[0]
        for line in listing.splitlines()
        if line.endswith(" queue") and line.split()[0] in ours()
    ]
    command("kill", service)
    with pytest.raises(SandboxExecutionError, match="exit code 137"):
        one.run("print(1)")
    assert ours() == []
    result = one.run(PING + "import os; print(ping('queue'), os.listdir('/tmp'))")
    assert (result.stdout, meta(result)["fresh"]) == ("+PONG []\n", True)


def test_unknown_names_fail_at_once(box: Callable[..., Box]) -> None:
    """A name that no service has is answered as unknown, not left to time out; known ones still resolve."""
    one = box(services=[redis()])
    facts = one.facts(
        "import json, socket\n"
        "def ask(name):\n"
        "    try: return socket.getaddrinfo(name, 80)\n"
        "    except socket.gaierror as error: return error.errno\n"
        "answer = socket.EAI_AGAIN\n"
        "for _ in range(5):\n"
        "    if answer == socket.EAI_AGAIN: answer = ask('no-such-name.example')\n"
        "six = {line.split()[-1] for line in open('/proc/net/if_inet6')}\n"
        "print(json.dumps([answer, socket.gethostbyname('queue'), list(six)]))"
    )
    assert facts[0] == socket.EAI_NONAME
    assert facts[1].count(".") == 3
    assert facts[2] in ([], ["lo"])


def test_the_host_is_out_of_reach_of_an_internal_topology(box: Callable[..., Box]) -> None:
    """A listener on every address of the host gets no connection from inside; one in a service does."""
    listener = socket.create_server(("0.0.0.0", 0))
    port = listener.getsockname()[1]
    accepted: list[object] = []
    threading.Thread(target=lambda: accepted.append(_accept(listener)), daemon=True).start()
    addresses = {"127.0.0.1", "172.17.0.1", *_host_addresses()}
    one = box(services=[redis()])
    facts = one.facts(
        "import json, socket\n"
        "own = socket.gethostbyname('sandbox').rsplit('.', 1)\n"
        f"tries = {sorted(addresses)!r} + [f'{{own[0]}}.{{n}}' for n in range(int(own[1]) - 3, int(own[1]) + 4)]\n"
        "reached = []\n"
        "for address in tries:\n"
        "    try: socket.create_connection((address, PORT), .3).close(); reached.append(address)\n"
        "    except OSError: pass\n"
        "socket.create_connection(('queue', 6379), 60)\n"
        "print(json.dumps(reached))".replace("PORT", str(port))
    )
    listener.close()
    assert facts == []
    assert [item for item in accepted if item is not None] == []


def _accept(listener: socket.socket) -> object:
    """Return who came from elsewhere than this host: its programs may look for another listener there."""
    with contextlib.suppress(OSError):
        while True:
            link, address = listener.accept()
            link.close()
            if not ipaddress.IPv4Address(address[0]).is_loopback:
                return address
    return None


def _host_addresses() -> list[str]:
    done = command(
        "run",
        "--rm",
        "--network",
        "host",
        "harnest-test/python",
        "python3",
        "-c",
        "import fcntl, socket, struct\ns = socket.socket()\nfor _, n in socket.if_nameindex():\n    try: print(socket.inet_ntoa(fcntl.ioctl(s, 0x8915, struct.pack('256s', n.encode()))[20:24]))\n    except OSError: pass",
    )
    return done.split()


def test_eight_services_run_beside_one_program(box: Callable[..., Box]) -> None:
    """The documented most of services fits into one topology and its subnet."""
    tiny = SandboxBudget(memory_bytes=64 << 20, scratch_bytes=8 << 20)
    code = "import socket\ns = socket.create_server(('', 80 + 8000))\nwhile True: s.accept()"
    services = [
        docker.service(
            name=f"s{number}",
            image="harnest-test/python",
            command=["python3", "-c", code],
            budget=tiny,
            readiness=docker.readiness(tcp=8080),
        )
        for number in range(8)
    ]
    one = box(services=services)
    result = one.run(
        "import socket\n"
        "for n in range(8): socket.create_connection((f's{n}', 8080), 60)\nprint('all')"
    )
    assert result.stdout == "all\n", (result.stderr, meta(result))


def test_two_topologies_at_once_do_not_see_each_other(box: Callable[..., Box]) -> None:
    """The same declaration twice at the same time gives two networks that are apart."""
    one = box(services=[redis()], max_concurrency=4)
    results: list[Any] = []

    def run() -> None:
        results.append(
            one.facts(
                PING
                + "import json\nprint(json.dumps([ping('queue'), socket.gethostbyname('queue')]))"
            )
        )

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [pong for pong, _ in results] == ["+PONG", "+PONG"]
    assert results[0][1] != results[1][1]


def test_a_deadline_in_readiness_is_a_timed_out_result(
    box: Callable[..., Box], caplog: pytest.LogCaptureFixture
) -> None:
    """The deadline counts while services start; the result names the service's phase."""
    never = program("web", "import time; time.sleep(600)", readiness=docker.readiness(tcp=1))
    one = box(services=[never])

    def attempt(seconds: int) -> SandboxResult:
        caplog.clear()
        return one.run("print(1)", timeout_seconds=seconds)

    with caplog.at_level("INFO", logger="harnest.agent.docker"):
        # What is done last before a service is waited for.
        result = patiently(attempt, lambda _: "start verification" in phases(caplog), first=2)
    assert result.status is SandboxStatus.TIMED_OUT
    assert meta(result)["phase"] == "service 'web' readiness"


def test_memory_and_queues_of_services_are_their_own(box: Callable[..., Box]) -> None:
    """A service's environment reaches it, and the program sees nothing of it."""
    code = (
        "import os, socket\nserver = socket.create_server(('', 8000))\n"
        "while True: server.accept()[0].sendall(os.environ['SECRET'].encode())"
    )
    service = program(
        "web", code, environment={"SECRET": "s3cret"}, readiness=docker.readiness(tcp=8000)
    )
    one = box(services=[service])
    result = one.run(
        "import os, socket\n"
        "print(socket.create_connection(('web', 8000), 60).recv(10), 'SECRET' in os.environ)"
    )
    assert result.stdout == "b's3cret' False\n"
    assert "s3cret" not in repr(meta(result))
