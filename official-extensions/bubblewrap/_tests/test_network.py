"""What programs reach of any network."""

from __future__ import annotations

import contextlib
import re
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
)

from .support import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .support import Room

pytestmark = pytest.mark.bubblewrap

NONE, OPEN = SandboxNetworkPolicy.none(), SandboxNetworkPolicy.unrestricted()
REACH = """
import json, socket
def reach(family, address, kind=socket.SOCK_STREAM):
    try:
        with socket.socket(family, kind) as s:
            s.settimeout(3)
            s.connect(tuple(address) if isinstance(address, list) else address)
            s.send(b'x')
    except OSError as error:
        return type(error).__name__
    return 'reached'
"""


def addresses() -> list[str]:
    """This host's own IPv4 addresses, loopback included."""
    table = Path("/proc/net/fib_trie").read_text()
    return sorted(set(re.findall(r"(\d+\.\d+\.\d+\.\d+)\n\s+/32 host LOCAL", table)))


def answers(address: str, port: int) -> bool:
    """Whether a listener is reached there; one that it does not reach is this host's no more."""
    try:
        socket.create_connection((address, port), timeout=10).close()
    except OSError:
        # A daemon for containers makes and removes networks, and its addresses in them.
        assert address not in addresses()
        return False
    return True


@pytest.fixture
def port() -> Iterator[int]:
    """A listener on every address of this host."""
    with socket.create_server(("0.0.0.0", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def abstract() -> Iterator[str]:
    """A listening abstract Unix socket of this host, by its name without the NUL."""
    name = f"harnest-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + name)
        listener.listen()
        yield name


def test_no_address_of_the_host_is_reached(room: Room, port: int) -> None:
    """A listener that the host itself reaches at each of its addresses is out of reach inside."""
    reached = [address for address in addresses() if answers(address, port)]
    code = f"""{REACH}
print(json.dumps([reach(socket.AF_INET, [a, {port}]) for a in {reached!r}]))
"""
    assert "127.0.0.1" in reached
    assert "reached" not in room.tell(code)


def test_an_abstract_socket_of_the_host_is_not_reached(room: Room, abstract: str) -> None:
    """They belong to the host's network, and so are not the sandbox's."""
    code = f"{REACH}\nprint(json.dumps(reach(socket.AF_UNIX, '\\0{abstract}')))"
    assert room.tell(code) == "ConnectionRefusedError"


def test_names_routes_and_the_metadata_address_lead_nowhere(room: Room) -> None:
    """Nothing can be looked up, sent to, or asked for credentials."""
    code = f"""{REACH}
def look_up():
    try:
        return socket.getaddrinfo('example.org', 80)
    except OSError as error:
        return type(error).__name__
print(json.dumps([look_up(), reach(socket.AF_INET, ['169.254.169.254', 80]),
    reach(socket.AF_INET, ['1.1.1.1', 53], socket.SOCK_DGRAM),
    reach(socket.AF_INET6, ['fe80::1%1', 80]), reach(socket.AF_INET6, ['::ffff:1.1.1.1', 80]),
    [line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line],
    open('/proc/net/route').read().count('\\n')]))
"""
    found = room.tell(code)
    assert found[0] == "gaierror"
    assert found[1:5] == ["OSError"] * 4
    assert found[5:] == [["lo"], 1]


def test_a_loopback_of_its_own_works(room: Room) -> None:
    """Programs that talk to themselves can."""
    code = """
import json, socket, os
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname(), timeout=5)
client.send(b'hello'); print(json.dumps(server.accept()[0].recv(5).decode()))
"""
    assert room.tell(code) == "hello"


def test_the_way_to_the_host_of_a_virtual_machine_is_closed(room: Room) -> None:
    """VSOCK and other families that know no namespaces can't be opened."""
    code = """
import json, socket, errno
found = []
for family in (40, 38, 17, 29, 30, 31, 44):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close(); found.append('opened')
    except OSError as error:
        found.append(errno.errorcode[error.errno])
print(json.dumps(found))
"""
    assert set(room.tell(code)) == {"EAFNOSUPPORT"}


def test_with_the_network_the_host_is_reached_and_its_abstract_sockets_are_not(
    open_room: Callable[..., Room], port: int, abstract: str
) -> None:
    """The network is shared when asked for; what only lives in its namespace stays closed."""
    room = open_room(network_enabled=True)
    code = f"""{REACH}
print(json.dumps([reach(socket.AF_INET, ['127.0.0.1', {port}]),
    reach(socket.AF_UNIX, '\\0{abstract}'), len(socket.socketpair())]))
"""
    assert room.tell(code) == ["reached", "OSError", 2]


def test_a_declaration_without_a_policy_has_no_network(
    make: Callable[..., object], port: int
) -> None:
    """Off is the default, and the provider says that this is what it enforces."""
    provider = make()
    assert provider.sandbox_capabilities.network_modes == {SandboxNetworkMode.NONE}
    code = f"{REACH}\nprint(reach(socket.AF_INET, ['127.0.0.1', {port}]))"
    assert provider.execute(request(code)).stdout == "ConnectionRefusedError\n"


def test_a_declaration_with_the_network_can_be_narrowed_by_a_request(
    make: Callable[..., object], port: int
) -> None:
    """Unrestricted reaches; the same provider asked for none does not."""
    provider = make(network_policy=OPEN)
    code = f"{REACH}\nprint(reach(socket.AF_INET, ['127.0.0.1', {port}]))"
    assert provider.execute(request(code)).stdout == "reached\n"
    assert provider.execute(request(code, network_policy=NONE)).stdout != "reached\n"


@pytest.mark.parametrize("declared", [None, NONE])
def test_a_request_cannot_widen_the_declaration(
    make: Callable[..., object], declared: SandboxNetworkPolicy | None
) -> None:
    """Nothing is run for a policy that allows more than was declared."""
    with pytest.raises(SandboxPolicyUnsupportedError):
        make(network_policy=declared).execute(request("1", network_policy=OPEN))


@pytest.mark.parametrize(
    "policy",
    [
        SandboxNetworkPolicy.allowlist("example.org"),
        SandboxNetworkPolicy.unrestricted(block_private_networks=True),
    ],
)
def test_a_policy_that_needs_a_filter_of_connections_is_refused(
    make: Callable[..., object], policy: SandboxNetworkPolicy
) -> None:
    """All or nothing is what namespaces can do."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(pytest.raises(SandboxPolicyUnsupportedError))
        make(network_policy=policy)
