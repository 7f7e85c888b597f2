"""What an author runs against an extension, a provider of sandboxes and a tier of workspaces.

::

    from harnest_ext.conformance import Feature, ProviderProfile, run_provider_suite

    report = run_provider_suite(ProviderProfile(name="mine", make=make, supports={...}))
    assert report.ok, report.failures

:class:`MemoryProvider` is a provider for tests: programs run in memory, or the test answers them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnest_ext.conformance.extension_suite import run_extension_suite
    from harnest_ext.conformance.features import Feature, ProviderProfile, Wanted
    from harnest_ext.conformance.memory.profile import MEMORY_PROFILE
    from harnest_ext.conformance.memory.provider import MemoryProvider
    from harnest_ext.conformance.provider_suite import provider_checks, run_provider_suite
    from harnest_ext.conformance.report import CheckOutcome, CheckResult, SuiteReport
    from harnest_ext.conformance.scratch import ScratchProject
    from harnest_ext.conformance.target import load_profile
    from harnest_ext.conformance.workspace_profile import WorkspaceFeature, WorkspaceProfile
    from harnest_ext.conformance.workspace_suite import (
        run_workspace_check,
        run_workspace_suite,
        workspace_checks,
    )

__all__ = [
    "MEMORY_PROFILE",
    "CheckOutcome",
    "CheckResult",
    "Feature",
    "MemoryProvider",
    "ProviderProfile",
    "ScratchProject",
    "SuiteReport",
    "Wanted",
    "WorkspaceFeature",
    "WorkspaceProfile",
    "load_profile",
    "provider_checks",
    "run_extension_suite",
    "run_provider_suite",
    "run_workspace_check",
    "run_workspace_suite",
    "workspace_checks",
]

_HOMES = {
    "CheckOutcome": "report",
    "CheckResult": "report",
    "Feature": "features",
    "MEMORY_PROFILE": "memory.profile",
    "MemoryProvider": "memory.provider",
    "ProviderProfile": "features",
    "ScratchProject": "scratch",
    "SuiteReport": "report",
    "Wanted": "features",
    "WorkspaceFeature": "workspace_profile",
    "WorkspaceProfile": "workspace_profile",
    "load_profile": "target",
    "provider_checks": "provider_suite",
    "run_extension_suite": "extension_suite",
    "run_provider_suite": "provider_suite",
    "run_workspace_check": "workspace_suite",
    "run_workspace_suite": "workspace_suite",
    "workspace_checks": "workspace_suite",
}


def __getattr__(name: str) -> object:
    # The pytest plugin lies in this package and is loaded by every test run: nothing else may be.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
