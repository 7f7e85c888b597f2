"""The promises of workspaces, tried on a backend: it answers as the tiers of this host do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_openshell.extension import Connection, OpenShellBackend, OpenShellConfig

from harnest_ext.conformance import CheckOutcome, WorkspaceFeature, WorkspaceProfile
from harnest_ext.conformance.workspace_suite import run_workspace_check, workspace_checks

from .conftest import SECONDS

if TYPE_CHECKING:
    from gateway.server import LocalGateway

    from harnest.execution import HookManager, WorkspaceConfig
    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.workspace_bench import WorkspaceBench

SUPPORTED = {
    WorkspaceFeature.DESCENDANTS,
    WorkspaceFeature.NETWORK_OFF,
    WorkspaceFeature.ISOLATION,
    WorkspaceFeature.BACKEND_FILES,
}
WHY_NOT = dict.fromkeys(WorkspaceFeature, "the service has no field for it")
WHY_NOT[WorkspaceFeature.HOST_DIRECTORY] = "the work directory is the sandbox's own"


class Inside:
    """A path in the one sandbox, as far as checks use one.

    Args:
        gateway: Where it is.
        path: The path.
    """

    def __init__(self, gateway: LocalGateway, path: str) -> None:
        self._gateway = gateway
        self._path = path

    def __truediv__(self, name: str) -> Inside:
        return Inside(self._gateway, f"{self._path}/{name}")

    def exists(self) -> bool:
        """Return whether it is there."""
        return bool(self._gateway.inside("find", self._path, "-maxdepth", "0", check=False))

    def stat(self) -> Any:
        """Return its size."""
        return SimpleNamespace(st_size=int(self._gateway.inside("stat", "-c", "%s", self._path)))


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("check", workspace_checks(), ids=lambda check: check.name)
def test_a_backend_keeps_what_workspaces_promise(
    gateway: LocalGateway, check: Check[WorkspaceBench]
) -> None:
    """Outcomes, input, deadlines, cancellation, output, files, events and tools are the same."""

    class Located(OpenShellBackend):
        directory = Inside(gateway, "/sandbox")

    def make(wanted: WorkspaceConfig, hooks: HookManager | None = None) -> Any:
        config = OpenShellConfig(
            connection=Connection(endpoint=gateway.endpoint),
            environment=wanted.environment,
            timeout_seconds=wanted.timeout_seconds,
            max_output_bytes=wanted.max_output_bytes,
            shell=wanted.shell,
        )
        return Located(config, hooks=hooks)

    profile = WorkspaceProfile(
        name="openshell",
        options={"tier": "extension:openshell", "timeout_seconds": SECONDS},
        supports=frozenset(SUPPORTED),
        why_not=WHY_NOT,
        make=make,
    )
    result = run_workspace_check(check, profile)
    if result.outcome is CheckOutcome.UNSUPPORTED:
        assert set(check.needs) - SUPPORTED
    else:
        assert result.outcome is CheckOutcome.PASSED, result.detail
