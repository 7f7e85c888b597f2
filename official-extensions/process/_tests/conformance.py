"""How the provider suite tries the process extension: `harnest extensions test PATH` reads it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from harnest.extensions.process import ProcessLimits, process

from harnest.sandbox import SandboxNetworkPolicy, SandboxPolicyUnsupportedError
from harnest_ext.conformance import Feature, ProviderProfile

if TYPE_CHECKING:
    from harnest_ext.conformance import Wanted


def make(wanted: Wanted) -> Any:
    """A provider with what a check wants and this extension's own choice for the rest."""
    options: dict[str, Any] = {"network_policy": wanted.network_policy}
    if wanted.scope is not None:
        options["scope"] = wanted.scope
    if wanted.max_output_bytes is not None:
        options["max_output_bytes"] = wanted.max_output_bytes
    limits = ProcessLimits(processes=wanted.processes, address_space_bytes=wanted.memory_bytes)
    return process.sandbox(limits=limits, **options).build()


def missing() -> dict[Feature, str]:
    """What this host doesn't let the extension offer, with the reason."""
    reasons: dict[Feature, str] = {}
    if not sys.platform.startswith("linux"):
        reasons[Feature.DESCENDANTS] = "only Linux has child subreapers"
    found = {item.name: item for item in make_default().diagnose()}
    if found["process-limit"].state != "ok":
        reasons[Feature.LIMIT_PROCESSES] = "no control group can be made here"
    try:
        process.sandbox(network_policy=SandboxNetworkPolicy.none()).build().close()
    except SandboxPolicyUnsupportedError:
        reasons[Feature.NETWORK_NONE] = "no unprivileged network namespace here"
    return reasons


def make_default() -> Any:
    """A provider with every default."""
    return process.sandbox().build()


WHY_NOT = missing()
PROFILE = ProviderProfile(
    name="process", make=make, supports=frozenset(Feature) - set(WHY_NOT), why_not=WHY_NOT
)
