"""Check services and network against each other and against the network policy."""

from collections.abc import Iterable

from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxProviderCapabilities,
)

from ..limits import SERVICES
from .checks import instance, sequence
from .network import DockerNetwork
from .service import DockerService

CAPABILITIES = SandboxProviderCapabilities(
    network_modes=frozenset({SandboxNetworkMode.NONE, SandboxNetworkMode.UNRESTRICTED}),
)
"""What this provider enforces at Docker's network boundary: nothing or everything, no allow-lists."""


def check_services(value: object) -> tuple[DockerService, ...]:
    """Return the services of one topology; names unique, dependencies known and without a ring.

    Raises:
        TypeError: not a list or tuple, or an item is no DockerService.
        ValueError: more than eight, a name or alias twice, or impossible dependencies.
    """
    services = tuple(
        instance(item, "each of services", DockerService)
        for item in sequence(value, "services", most=SERVICES)
    )
    seen: set[str] = set()
    for name in (name for service in services for name in service.names):
        if name in seen:
            raise ValueError(f"name or alias '{name}' is used twice in the topology")
        seen.add(name)
    start_order(services)
    return services


def start_order(services: Iterable[DockerService]) -> tuple[tuple[DockerService, ...], ...]:
    """Return groups of services to start one after the other.

    Without any ``depends_on`` each service is a group of its own, in declaration order. With it, a
    group holds what can start at the same time.

    Raises:
        ValueError: a dependency is not declared, or dependencies form a ring.
    """
    waiting = {service.name: service for service in services}
    if not any(service.depends_on for service in waiting.values()):
        return tuple((service,) for service in waiting.values())
    for service in waiting.values():
        for name in service.depends_on:
            if name not in waiting:
                raise ValueError(
                    f"service '{service.name}' depends on '{name}', which is not declared"
                )
    groups: list[tuple[DockerService, ...]] = []
    while waiting:
        group = tuple(s for s in waiting.values() if not any(n in waiting for n in s.depends_on))
        if not group:
            raise ValueError(f"depends_on forms a ring: {', '.join(sorted(waiting))}")
        for service in group:
            del waiting[service.name]
        groups.append(group)
    return tuple(groups)


def check_network(
    network: object, services: tuple[DockerService, ...], policy: SandboxNetworkPolicy
) -> DockerNetwork | None:
    """Return the topology's network: None without services.

    Raises:
        TypeError: *network* is no DockerNetwork.
        ValueError: a network without services, or services under an unrestricted policy without an
            explicit network.
        SandboxPolicyUnsupportedError: the policy cannot be enforced, or ``internal=False`` without
            an unrestricted policy.
    """
    CAPABILITIES.require(policy)
    unrestricted = policy.mode is SandboxNetworkMode.UNRESTRICTED
    if network is not None:
        declared = instance(network, "network", DockerNetwork)
        if not services:
            raise ValueError(
                "network needs services: a sandbox without them has no topology to join"
            )
        if not declared.internal and not unrestricted:
            raise SandboxPolicyUnsupportedError(
                "network(internal=False) gives the whole topology unrestricted egress: it needs "
                "network_policy=SandboxNetworkPolicy.unrestricted()"
            )
        return declared
    if services and unrestricted:
        raise ValueError(
            "an unrestricted network_policy with services needs an explicit network: "
            "docker.network(internal=False) gives every container egress, "
            "docker.network(internal=True) gives none"
        )
    return DockerNetwork() if services else None
