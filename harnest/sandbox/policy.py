"""The network authority that a sandbox is granted, and what a provider can enforce of it."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from harnest.sandbox import limits
from harnest.sandbox.errors import SandboxPolicyUnsupportedError
from harnest.sandbox.hosts import normalized_hosts

# No `from __future__ import annotations` here: these signatures are documented with real types.

__all__ = ["SandboxNetworkMode", "SandboxNetworkPolicy", "SandboxProviderCapabilities"]


class SandboxNetworkMode(enum.StrEnum):
    """The outbound network authority granted to one sandbox."""

    NONE = "none"
    """No outbound connection at all."""
    UNRESTRICTED = "unrestricted"
    """Any destination, perhaps without private networks."""
    ALLOWLIST = "allowlist"
    """The named hosts, and if ports are named only these."""


@dataclass(frozen=True, slots=True)
class SandboxNetworkPolicy:
    """Outbound access that a provider must enforce, whatever its mechanism.

    Entries are exact DNS names or IP literals. The provider applies the policy to every
    resolution and every connection, not only to the first URL of a program.

    Args:
        mode: A mode or its text.
        allow_hosts: Exact hosts; needed in allowlist mode, refused in the others. Stored in
            normal form, each once: lower-case ASCII names, canonical addresses.
        allow_ports: Destination ports 1-65535; empty means every port.
        block_private_networks: Whether private, loopback and link-local destinations stay shut.

    Raises:
        ValueError: A mode, host or port is unusable, or hosts and mode don't fit each other.
        TypeError: A list has another type, or the flag is not exactly a bool.
    """

    mode: SandboxNetworkMode = SandboxNetworkMode.NONE
    allow_hosts: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = ()
    block_private_networks: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "mode", SandboxNetworkMode(self.mode))
        _check_sequence("allow_hosts", self.allow_hosts)
        _check_sequence("allow_ports", self.allow_ports)
        _check_flag("block_private_networks", self.block_private_networks)
        object.__setattr__(self, "allow_hosts", normalized_hosts(self.allow_hosts))
        object.__setattr__(self, "allow_ports", _ports(self.allow_ports))
        self._check_mode()

    def _check_mode(self) -> None:
        if self.mode is SandboxNetworkMode.ALLOWLIST:
            if not self.allow_hosts:
                raise ValueError("an allowlist policy needs at least one host")
        elif self.allow_hosts or self.allow_ports:
            raise ValueError("allow_hosts and allow_ports belong to allowlist mode only")

    @staticmethod
    def none() -> "SandboxNetworkPolicy":
        """Deny every outbound connection."""
        return SandboxNetworkPolicy()

    @staticmethod
    def unrestricted(*, block_private_networks: bool = False) -> "SandboxNetworkPolicy":
        """Permit outbound access.

        Args:
            block_private_networks: Whether private destinations stay shut.
        """
        return SandboxNetworkPolicy(
            mode=SandboxNetworkMode.UNRESTRICTED, block_private_networks=block_private_networks
        )

    @staticmethod
    def allowlist(
        *hosts: str, ports: tuple[int, ...] = (), block_private_networks: bool = True
    ) -> "SandboxNetworkPolicy":
        """Permit exact hosts, and of these the named ports only if any is named.

        Args:
            *hosts: Exact DNS names or IP literals, at least one.
            ports: Destination ports; empty means every port.
            block_private_networks: Whether private destinations stay shut.
        """
        return SandboxNetworkPolicy(
            mode=SandboxNetworkMode.ALLOWLIST,
            allow_hosts=hosts,
            allow_ports=ports,
            block_private_networks=block_private_networks,
        )


@dataclass(frozen=True, slots=True)
class SandboxProviderCapabilities:
    """The network controls that a provider enforces below the program it runs.

    Args:
        network_modes: Modes that hold, as modes or their texts.
        host_allowlist: Whether an allowlist of exact hosts holds.
        port_allowlist: Whether a list of ports holds.
        private_network_blocking: Whether private destinations can be shut while others are open.

    Raises:
        ValueError: A mode is unknown.
        TypeError: The modes are no collection, or a flag is not exactly a bool.
    """

    network_modes: frozenset[SandboxNetworkMode] = frozenset()
    host_allowlist: bool = False
    port_allowlist: bool = False
    private_network_blocking: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "network_modes", _modes(self.network_modes))
        for flag in ("host_allowlist", "port_allowlist", "private_network_blocking"):
            _check_flag(flag, getattr(self, flag))

    def require(self, policy: SandboxNetworkPolicy) -> None:
        """Refuse a policy that this provider can't enforce in full.

        Args:
            policy: The policy asked for.

        Raises:
            SandboxPolicyUnsupportedError: A control is missing; the message names it.
            TypeError: ``policy`` is no policy.
        """
        if not isinstance(policy, SandboxNetworkPolicy):
            raise TypeError(f"policy must be SandboxNetworkPolicy, not {type(policy).__name__}")
        missing = self._missing(policy)
        if missing:
            raise SandboxPolicyUnsupportedError(f"the provider does not enforce {missing}")

    def _missing(self, policy: SandboxNetworkPolicy) -> str:
        if policy.mode not in self.network_modes:
            return f"network mode '{policy.mode.value}'"
        if policy.mode is SandboxNetworkMode.ALLOWLIST and not self.host_allowlist:
            return "host_allowlist: exact destination hosts"
        if policy.allow_ports and not self.port_allowlist:
            return "port_allowlist: exact destination ports"
        asks = policy.mode is not SandboxNetworkMode.NONE and policy.block_private_networks
        if asks and not self.private_network_blocking:
            return "private_network_blocking: private networks shut while others are open"
        return ""


def _check_sequence(name: str, value: object) -> None:
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a list or tuple, not {type(value).__name__}")


def _check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")


def _modes(values: object) -> frozenset[SandboxNetworkMode]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError("network_modes must be a collection of modes")
    return frozenset(SandboxNetworkMode(value) for value in values)


def _ports(values: Iterable[object]) -> tuple[int, ...]:
    ports = dict.fromkeys(_port(value) for value in values)
    return tuple(ports)


def _port(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("allow_ports must hold int only")  # noqa: TRY004 - a scalar, not a container: the contract says ValueError
    if not 1 <= value <= limits.PORT_MAXIMUM:
        raise ValueError(f"a port must be 1-{limits.PORT_MAXIMUM}")
    return value
