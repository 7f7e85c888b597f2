"""What the provider tells operators: which sandboxes there are, which may go, what holds here."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from harnest.execution import BackendError, ExecutionError
from harnest.sandbox.optional import (
    DiagnosisState,
    SandboxDiagnosis,
    SandboxPruneReport,
    SandboxResource,
)

from . import limits
from .naming import MANAGED, owner_alive
from .removal import remove

if TYPE_CHECKING:
    from collections.abc import Callable

    from .gateway.port import Gateway, SandboxFacts
    from .policy.document import Policy

__all__ = ["diagnose", "inventory", "prune"]


def inventory(gateway: Gateway) -> tuple[SandboxResource, ...]:
    """Return every sandbox that was made by Harnest; change nothing.

    Args:
        gateway: Where they are.

    Raises:
        GatewayRefusedError: It failed.
    """
    return tuple(map(_resource, _found(gateway)))


def prune(gateway: Gateway) -> SandboxPruneReport:
    """Delete the sandboxes whose makers were processes of this host that are gone.

    Args:
        gateway: Where they are.

    Raises:
        GatewayRefusedError: They can't be listed.
    """
    removed: list[SandboxResource] = []
    kept: list[SandboxResource] = []
    for facts in _found(gateway):
        resource = _resource(facts)
        if resource.owner_alive is False:
            try:
                remove(gateway, facts)
            except BackendError:
                kept.append(resource)
            else:
                removed.append(resource)
    return SandboxPruneReport(removed=tuple(removed), kept=tuple(kept))


def diagnose(connect: Callable[[], Gateway], policy: Policy) -> tuple[SandboxDiagnosis, ...]:
    """Try what can be tried without making a sandbox.

    Args:
        connect: Makes the connection.
        policy: The declaration's.
    """
    try:
        version = connect().version(limits.PROBE_SECONDS)
    except ExecutionError as error:
        found = SandboxDiagnosis(
            name="gateway",
            state=DiagnosisState.UNAVAILABLE,
            detail=f"The gateway can't be used ({type(error).__name__}).",
            remedy="Install the SDK, start the gateway, or name another one.",
        )
    else:
        found = SandboxDiagnosis(
            name="gateway", state=DiagnosisState.OK, detail=f"Version {version} answers."
        )
    rules = len(policy.network)
    return (
        found,
        SandboxDiagnosis(
            name="policy",
            state=DiagnosisState.DEGRADED,
            detail=f"A policy with {rules} network rules is sent with every sandbox; that it is "
            "enforced is the gateway's promise and was not tried.",
        ),
    )


def _found(gateway: Gateway) -> tuple[SandboxFacts, ...]:
    return gateway.listed(f"{MANAGED}=harnest", limits.RPC_SECONDS)


def _resource(facts: SandboxFacts) -> SandboxResource:
    return SandboxResource(
        kind="sandbox",
        resource_id=facts.name,
        owner=facts.labels.get("harnest.dev/process", ""),
        owner_alive=owner_alive(dict(facts.labels)),
        age_seconds=None if facts.created is None else max(0.0, time.time() - facts.created),
        state=facts.phase.name.lower(),
    )
