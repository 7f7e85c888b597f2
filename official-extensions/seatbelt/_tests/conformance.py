"""How the suites try the seatbelt extension: `harnest extensions test PATH` reads it, on macOS."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from harnest.extensions.seatbelt import SeatbeltLimits, seatbelt

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
    return seatbelt.sandbox(limits=SeatbeltLimits(), **options).build()


WHY_NOT = {
    Feature.DESCENDANTS: "a process that leaves its program's group goes on, confined",
    Feature.LIMIT_MEMORY: "nothing of macOS bounds memory as a whole",
    Feature.LIMIT_PROCESSES: "nothing of macOS counts a program's processes",
}
PROFILE = ProviderProfile(
    name="seatbelt", make=make, supports=frozenset(Feature) - set(WHY_NOT), why_not=WHY_NOT
)
WHY_NOT_IN_WORKSPACES = {
    WorkspaceFeature.BACKEND_FILES: "there is no other file system than the host's",
    WorkspaceFeature.DESCENDANTS: WHY_NOT[Feature.DESCENDANTS],
    WorkspaceFeature.LIMIT_MEMORY: WHY_NOT[Feature.LIMIT_MEMORY],
}
if shutil.which("node", path="/usr/bin:/bin") is None:
    WHY_NOT_IN_WORKSPACES[WorkspaceFeature.NODE] = "node is no part of macOS"
WORKSPACE = WorkspaceProfile(
    name="seatbelt",
    options={"tier": "seatbelt"},
    supports=frozenset(WorkspaceFeature) - set(WHY_NOT_IN_WORKSPACES),
    why_not=WHY_NOT_IN_WORKSPACES,
)
