"""How the suites try the bubblewrap extension: `harnest extensions test PATH` reads it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from harnest.extensions.bubblewrap import BubblewrapLimits, BubblewrapSandboxError, bubblewrap

from harnest.execution.local.bounds import bounds_memory
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
    limits = BubblewrapLimits(processes=wanted.processes, memory_bytes=wanted.memory_bytes)
    return bubblewrap.sandbox(limits=limits, **options).build()


def missing() -> dict[Feature, str]:
    """What this host doesn't let the extension offer, with the reason."""
    try:
        provider = bubblewrap.sandbox().build()
    except BubblewrapSandboxError:
        return {}  # no sandbox at all: the suite of workspaces says so once, with the reason
    found = {item.name: item for item in provider.diagnose()}
    provider.close()
    reasons: dict[Feature, str] = {}
    if found["process-limit"].state != "ok":
        reasons[Feature.LIMIT_PROCESSES] = "nothing counts a sandbox's processes here"
    if found["memory-limit"].state != "ok":
        reasons[Feature.LIMIT_MEMORY] = "no control group can bound memory here"
    return reasons


def workspace_missing() -> dict[WorkspaceFeature, str]:
    """What this host doesn't let the tier offer, with the reason."""
    reasons: dict[WorkspaceFeature, str] = {}
    if not bounds_memory():
        reasons[WorkspaceFeature.LIMIT_MEMORY] = "no control group can bound memory here"
    node = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin")
    if node is None or not os.path.realpath(node).startswith("/usr/"):
        reasons[WorkspaceFeature.NODE] = "node is not among this system's programs"
    return reasons


WHY_NOT = missing()
PROFILE = ProviderProfile(
    name="bubblewrap", make=make, supports=frozenset(Feature) - set(WHY_NOT), why_not=WHY_NOT
)
WHY_NOT_IN_WORKSPACES = workspace_missing()
WORKSPACE = WorkspaceProfile(
    name="bubblewrap",
    options={"tier": "bubblewrap"},
    supports=frozenset(WorkspaceFeature) - set(WHY_NOT_IN_WORKSPACES),
    why_not=WHY_NOT_IN_WORKSPACES,
)
