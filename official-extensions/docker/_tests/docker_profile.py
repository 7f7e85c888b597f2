"""This extension as the suites of providers and of workspaces are to see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnest.extensions.docker import DockerScope, docker

from harnest.sandbox import SandboxBudget
from harnest_ext.conformance import Feature, ProviderProfile, WorkspaceFeature, WorkspaceProfile

if TYPE_CHECKING:
    from harnest_ext.conformance import Wanted

IMAGE = "harnest-test/python"
MIB = 1 << 20


def make(wanted: Wanted) -> Any:
    """Make a provider with what a check wants, and this extension's own choice for the rest."""
    options: dict[str, Any] = {"network_policy": wanted.network_policy}
    if wanted.scope is not None:
        options["scope"] = DockerScope(wanted.scope)
    if wanted.max_output_bytes is not None:
        options["max_output_bytes"] = wanted.max_output_bytes
    if wanted.files:
        options["files"] = docker.files()
    memory = wanted.memory_bytes or 512 * MIB
    budget = SandboxBudget(
        memory_bytes=memory,
        pids=wanted.processes or 64,
        scratch_bytes=min(64 * MIB, memory // 2),
    )
    return docker.sandbox(image=IMAGE, budget=budget, **options).build()


DOCKER = ProviderProfile(name="docker", make=make, supports=frozenset(Feature), slack_seconds=2.0)
WORKSPACE = WorkspaceProfile(
    name="docker",
    options={"tier": "docker", "image": IMAGE},
    supports=frozenset(WorkspaceFeature) - {WorkspaceFeature.NODE},
    why_not={WorkspaceFeature.NODE: "the test image holds no node"},
    owner=12_345,
    slack_seconds=2.0,
)
