"""Plan a topology's bridge: a subnet nobody uses, and no way to the host unless egress is granted."""

import ipaddress
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "hx"
"""Bridges begin with this, so that one firewall rule of the host can name them all."""
SUBNET_BITS: Final = 28
"""Fourteen addresses: nine containers and the gateway."""
_ISOLATED_SINCE: Final = 28
_BRIDGE: Final = "com.docker.network.bridge."


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """Everything about one network before it exists."""

    name: str
    bridge: str
    subnet: str
    internal: bool
    options: Mapping[str, str]
    labels: Mapping[str, str]


def bridge_options(bridge: str, *, internal: bool, engine: int) -> dict[str, str]:
    """Return the bridge driver's options; *engine* is the major version of the daemon.

    ``internal`` alone leaves the host reachable through the bridge's own address, so the bridge gets
    none.
    """
    options = {_BRIDGE + "name": bridge, _BRIDGE + "enable_icc": "true"}
    if not internal:
        return options
    if engine >= _ISOLATED_SINCE:
        return {**options, _BRIDGE + "gateway_mode_ipv4": "isolated"}
    return {**options, _BRIDGE + "inhibit_ipv4": "true"}


def free_subnets(
    ranges: Iterable[ipaddress.IPv4Network],
    taken: Iterable[ipaddress.IPv4Network],
    choose: random.Random,
) -> Iterator[ipaddress.IPv4Network]:
    """Yield subnets of *ranges* that overlap nothing in *taken*, from a random place on.

    The random start keeps processes that share a daemon from always trying the same one.
    """
    occupied = list(taken)
    for whole in ranges:
        count = 1 << (SUBNET_BITS - whole.prefixlen)
        start = choose.randrange(count)
        for step in range(count):
            offset = ((start + step) % count) << (32 - SUBNET_BITS)
            subnet = ipaddress.IPv4Network((int(whole.network_address) + offset, SUBNET_BITS))
            if not any(subnet.overlaps(other) for other in occupied):
                yield subnet


def host_routes(path: str = "/proc/net/route") -> list[ipaddress.IPv4Network]:
    """Return every network this host has a route to, the default route left out."""
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return []
    routes = []
    for line in lines:
        fields = line.split()
        address, mask = _number(fields[1]), _number(fields[7])
        if mask:
            routes.append(ipaddress.IPv4Network((address & mask, mask.bit_count())))
    return routes


def _number(field: str) -> int:
    return int.from_bytes(bytes.fromhex(field), "little")
