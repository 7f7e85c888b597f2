"""Denials and the rules that a gateway proposes for them, on a proxy that really refuses."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_openshell.extension import (
    Endpoint,
    GatewayRefusedError,
    NetworkRule,
    OpenShellBackend,
    Policy,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.server import LocalGateway

pytestmark = pytest.mark.docker

PYTHON = "/usr/bin/python3.11"
CONNECT = """\
import http.client, os
host, port = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
connection = http.client.HTTPConnection(host, int(port), timeout=120)
connection.set_tunnel({host!r}, {port})
try:
    connection.connect()
    connection.sock.sendall(b"ping")
    print("answer", connection.sock.recv(100).decode())
except OSError as error:
    print(error)
"""
ALLOWING = Policy(
    network=[
        NetworkRule(
            name="echo",
            endpoints=[Endpoint(host="echo.test", ports=[7000])],
            programs=[PYTHON],
        )
    ]
)


def connecting(host: str, port: int) -> str:
    """A program that connects through the sandbox's proxy."""
    return CONNECT.replace("{host!r}", repr(host)).replace("{port}", str(port))


@pytest.fixture
def opened(
    gateway: LocalGateway, backend: Callable[..., OpenShellBackend]
) -> Callable[..., OpenShellBackend]:
    """Open backends on a gateway whose sandboxes have a proxy and a server to reach through it."""
    gateway.service.proxied = True

    def make(**options: Any) -> OpenShellBackend:
        made = backend(**options)
        asyncio.run(made.start())
        return made

    return make


def test_a_connection_that_no_rule_allows_is_denied_and_reported(
    opened: Callable[..., OpenShellBackend],
) -> None:
    """By default every host is denied; the result names program and target."""
    box = opened()
    result = asyncio.run(box.execute(connecting("echo.test", 7000)))
    assert "403" in result.stdout
    assert result.denials == (f"{PYTHON} -> echo.test:7000",)
    quiet = asyncio.run(box.execute("print('quiet')"))
    assert quiet.denials == ()
    asyncio.run(box.close())


def test_a_rule_allows_its_host_port_and_program_alone(
    opened: Callable[..., OpenShellBackend],
) -> None:
    """Another port, another host and another program are denied as before."""
    box = opened(policy=ALLOWING)
    result = asyncio.run(box.execute(connecting("echo.test", 7000)))
    assert (result.stdout, result.denials) == ("answer ping\n", ())
    for host, port in (("echo.test", 7001), ("other.test", 7000)):
        result = asyncio.run(box.execute(connecting(host, port)))
        assert result.denials == (f"{PYTHON} -> {host}:{port}",)
    copy = 'cp /usr/bin/python3.11 ./mine && ./mine -c "$PROGRAM"'
    program = connecting("echo.test", 7000)
    command = f"PROGRAM=$(cat); export PROGRAM; {copy}"
    result = asyncio.run(box.execute_command(command, stdin=program.encode()))
    assert "403" in result.stdout
    assert result.denials == ("/sandbox/mine -> echo.test:7000",)
    asyncio.run(box.close())


def test_pending_rules_are_listed_approved_and_refused(
    opened: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """An approved rule lets its connection through from then on, a refused one does not."""

    async def main(box: OpenShellBackend) -> None:
        for host in ("echo.test", "other.test"):
            await box.execute(connecting(host, 7000))
        rules = {rule.hosts[0]: rule for rule in await box.pending_rules()}
        assert sorted(rules) == ["echo.test:7000", "other.test:7000"]
        wanted = rules["echo.test:7000"]
        assert (wanted.programs, wanted.status) == ((PYTHON,), "pending")
        await box.approve_rule(wanted)
        await box.refuse_rule(rules["other.test:7000"], "not needed")
        assert await box.pending_rules() == ()
        result = await box.execute(connecting("echo.test", 7000))
        assert (result.stdout, result.denials) == ("answer ping\n", ())
        result = await box.execute(connecting("other.test", 7000))
        assert result.denials == (f"{PYTHON} -> other.test:7000",)

    box = opened()
    asyncio.run(main(box))
    refused = [chunk for chunk in gateway.only().chunks if chunk.status == "rejected"]
    assert [chunk.rejection_reason for chunk in refused] == ["not needed"]
    asyncio.run(box.close())


def test_a_rule_is_approved_only_as_it_was_listed(
    opened: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Where the proposal changed meanwhile the gateway refuses; an unknown one as well."""

    async def main(box: OpenShellBackend) -> None:
        await box.execute(connecting("echo.test", 7000))
        (rule,) = await box.pending_rules()
        assert rule.review_token not in repr(rule)
        gateway.only().chunks[0].review_token = "another"
        with pytest.raises(GatewayRefusedError, match="FAILED_PRECONDITION"):
            await box.approve_rule(rule)
        gateway.only().chunks.clear()
        with pytest.raises(GatewayRefusedError, match="NOT_FOUND"):
            await box.refuse_rule(rule)
        with pytest.raises(ValueError, match="1000"):
            await box.refuse_rule(rule, "x" * 1001)

    box = opened()
    asyncio.run(main(box))
    asyncio.run(box.close())


def test_a_log_that_can_not_be_read_costs_its_denials_alone(
    opened: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """The result is that of the command; what its output tells is still reported."""
    box = opened()
    gateway.faults.plan("GetSandboxLogs", "PERMISSION_DENIED")
    result = asyncio.run(box.execute(connecting("echo.test", 7000)))
    assert result.exit_code == 0
    assert result.denials == ("a connection was refused by the sandbox's proxy (CONNECT, 403)",)
    asyncio.run(box.close())
