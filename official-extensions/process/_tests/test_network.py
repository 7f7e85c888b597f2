from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_process.lib.network import isolation_objection

from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
)

from .support import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NONE, OPEN = SandboxNetworkPolicy.none(), SandboxNetworkPolicy.unrestricted()

CONNECT = """
import socket
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=5).close()
    print("reached")
except OSError as error:
    print(type(error).__name__)
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A listener of this host."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture(scope="module")
def isolation() -> None:
    """Skip where this host can't isolate a program."""
    objection = isolation_objection(sys.executable)
    if objection:
        pytest.skip(objection)


def test_without_a_policy_nothing_is_claimed(make: Callable[..., Any], port: int) -> None:
    """The program has the host's network, and the provider declares just that."""
    provider = make()
    assert provider.sandbox_capabilities.network_modes == {SandboxNetworkMode.UNRESTRICTED}
    assert provider.execute(request(CONNECT.format(port=port))).stdout == "reached\n"


def test_unrestricted_is_accepted(make: Callable[..., Any], port: int) -> None:
    """It is what the program has."""
    result = make(network_policy=OPEN).execute(
        request(CONNECT.format(port=port), network_policy=OPEN)
    )
    assert result.stdout == "reached\n"


@pytest.mark.usefixtures("isolation")
def test_no_network_means_none(make: Callable[..., Any], port: int) -> None:
    """The host's listener is out of reach, and the only device is a working loopback of its own."""
    code = CONNECT.format(port=port) + (
        "import os\n"
        "print(os.readlink('/proc/self/ns/net'))\n"
        "print([line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line])\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname(), timeout=5).close()\n"
        "print('own loopback', os.getuid())\n"
    )
    result = make(network_policy=NONE).execute(request(code, network_policy=NONE))
    outcome, namespace, devices, own = result.stdout.splitlines()
    assert (outcome, devices) == ("ConnectionRefusedError", "['lo']")
    assert namespace != str(Path("/proc/self/ns/net").readlink())
    assert own == f"own loopback {os.getuid()}"


@pytest.mark.usefixtures("isolation")
def test_a_request_cannot_widen_the_declaration(make: Callable[..., Any]) -> None:
    """Declared without network, a request with one is refused."""
    with pytest.raises(SandboxPolicyUnsupportedError):
        make(network_policy=NONE).execute(request("1", network_policy=OPEN))


@pytest.mark.parametrize(
    "policy",
    [
        NONE,
        SandboxNetworkPolicy.allowlist("example.org"),
        SandboxNetworkPolicy.unrestricted(block_private_networks=True),
    ],
    ids=["none, not declared", "allowlist", "private networks blocked"],
)
def test_a_policy_that_is_not_enforced_is_refused(
    make: Callable[..., Any], policy: SandboxNetworkPolicy
) -> None:
    """Such a request runs nothing."""
    with pytest.raises(SandboxPolicyUnsupportedError):
        make().execute(request("print(1)", network_policy=policy))


def test_building_is_refused_for_what_no_host_offers(make: Callable[..., Any]) -> None:
    """An allow-list fails when the sandbox is built, not when code runs."""
    with pytest.raises(SandboxPolicyUnsupportedError):
        make(network_policy=SandboxNetworkPolicy.allowlist("example.org"))


def test_no_network_is_refused_where_it_cannot_be_tried(make: Callable[..., Any]) -> None:
    """An interpreter that can't prove the isolation is an objection, never a pass."""
    with pytest.raises(SandboxPolicyUnsupportedError, match="this host"):
        make(network_policy=NONE, python="/nowhere/python")
