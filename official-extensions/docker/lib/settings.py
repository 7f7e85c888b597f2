"""Read what the operator of this host set: ranges of user numbers and of subnets, and the lease.

``HARNEST_DOCKER_UIDS`` is ``first-last``; ``HARNEST_DOCKER_SUBNETS`` is networks separated by commas;
``HARNEST_DOCKER_LEASE`` is whole seconds.
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from .errors import DockerSandboxError, Phase
from .limits import LEASE_SECONDS, LEASE_SECONDS_MAX, LEASE_SECONDS_MIN
from .plan.network import SUBNET_BITS

UIDS: Final = "20000-59999"
"""Below 65536 also where the daemon maps users; above the numbers that systems give to accounts."""
SUBNETS: Final = "10.231.0.0/16,172.29.0.0/16,192.168.192.0/20"
"""Later ones serve where the host has a route into the first."""
NOBODY: Final = 65_534


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The operator's choices.

    Attributes:
        uids: numbers to give to containers, each to one live container at a time.
        subnets: networks to cut topology networks from.
        lease: seconds after which an idle container ends that hears nothing from its host.
    """

    uids: range
    subnets: tuple[ipaddress.IPv4Network, ...]
    lease: float = LEASE_SECONDS

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Return the settings of *environment*.

        Raises:
            DockerSandboxError: a setting makes no sense; it says which.
        """
        try:
            uids = _uids(environment.get("HARNEST_DOCKER_UIDS") or UIDS)
        except ValueError:
            raise DockerSandboxError(
                Phase.CONFIGURATION,
                f"HARNEST_DOCKER_UIDS must be first-last, 1000 or more, without {NOBODY}, such as {UIDS}",
            ) from None
        try:
            subnets = _subnets(environment.get("HARNEST_DOCKER_SUBNETS") or SUBNETS)
        except ValueError:
            raise DockerSandboxError(
                Phase.CONFIGURATION,
                "HARNEST_DOCKER_SUBNETS must be IPv4 networks separated by commas, "
                f"each /8 to /{SUBNET_BITS}, such as {SUBNETS}",
            ) from None
        try:
            lease = _lease(environment.get("HARNEST_DOCKER_LEASE") or str(int(LEASE_SECONDS)))
        except ValueError:
            raise DockerSandboxError(
                Phase.CONFIGURATION,
                f"HARNEST_DOCKER_LEASE must be whole seconds, {LEASE_SECONDS_MIN} to {LEASE_SECONDS_MAX}",
            ) from None
        return cls(uids=uids, subnets=subnets, lease=lease)


def _uids(text: str) -> range:
    first, _, last = text.partition("-")
    numbers = range(int(first), int(last) + 1)
    if not numbers or numbers.start < 1000 or NOBODY in numbers:
        raise ValueError("range")
    return numbers


def _lease(text: str) -> float:
    seconds = int(text)
    if not LEASE_SECONDS_MIN <= seconds <= LEASE_SECONDS_MAX:
        raise ValueError("lease")
    return float(seconds)


def _subnets(text: str) -> tuple[ipaddress.IPv4Network, ...]:
    networks = tuple(ipaddress.IPv4Network(part.strip()) for part in text.split(","))
    if not all(8 <= network.prefixlen <= SUBNET_BITS for network in networks):
        raise ValueError("size")
    return networks
