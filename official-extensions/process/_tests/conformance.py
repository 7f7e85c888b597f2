"""How the suites try the process extension: `harnest extensions test PATH` reads it."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from harnest.extensions.process import ProcessLimits, process

from harnest.execution.local.bounds import Means, bounds_memory, means
from harnest.sandbox import SandboxNetworkPolicy, SandboxPolicyUnsupportedError
from harnest_ext.conformance import Feature, ProviderProfile, WorkspaceFeature, WorkspaceProfile

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


def workspace_missing() -> dict[WorkspaceFeature, str]:
    """What the tier doesn't take away, and what this host doesn't let it offer, with the reason."""
    reasons = {
        WorkspaceFeature.ISOLATION: "programs have this user's access to files",
        WorkspaceFeature.ALLOWED_PATHS: "they would restrict nothing",
        WorkspaceFeature.BACKEND_FILES: "there is no other file system than the host's",
    }
    if not bounds_memory():
        reasons[WorkspaceFeature.LIMIT_MEMORY] = "no control group can bound memory here"
    if means() is not Means.GROUP:
        reasons[WorkspaceFeature.LIMIT_PROCESSES] = "no control group can bound processes here"
    if not sys.platform.startswith("linux"):
        reasons[WorkspaceFeature.DESCENDANTS] = "only Linux has child subreapers"
    if Feature.NETWORK_NONE in WHY_NOT:
        reasons[WorkspaceFeature.NETWORK_OFF] = WHY_NOT[Feature.NETWORK_NONE]
    if shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None:
        reasons[WorkspaceFeature.NODE] = "node is not installed here"
    return reasons


WHY_NOT_IN_WORKSPACES = workspace_missing()
WORKSPACE = WorkspaceProfile(
    name="process",
    options={"tier": "process"},
    supports=frozenset(WorkspaceFeature) - set(WHY_NOT_IN_WORKSPACES),
    why_not=WHY_NOT_IN_WORKSPACES,
)
