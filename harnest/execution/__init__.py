"""Backends that run an agent's commands and programs in a tier of isolation chosen by name.

::

    from harnest.execution import Workspace, WorkspaceConfig

    async with Workspace(WorkspaceConfig(tier="bubblewrap")) as workspace:
        result = await workspace.execute_command("ls -l")

The tier is that of an extension of the same name, which must be installed. A tier that can't run
here, or can't keep what the configuration asks for, fails before anything is run: there is no
other tier that is taken instead.

Names are loaded when they are first used: the building blocks below :mod:`harnest.execution.local`
need none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnest.execution.backend import DescribedBackend, ExecutionBackend, OwnedBackend
    from harnest.execution.config import TIERS, WorkspaceConfig
    from harnest.execution.engine import (
        EngineResult,
        ExecutionCall,
        Guarantee,
        WorkspaceEngine,
        WorkspaceExtension,
    )
    from harnest.execution.errors import (
        BackendError,
        ExecutionError,
        TierUnavailableError,
        UnsupportedPromiseError,
        WorkspaceClosedError,
    )
    from harnest.execution.hooks import HookContext, HookEvent, HookManager, SandboxExecData
    from harnest.execution.result import ExecutionResult
    from harnest.execution.workspace import Workspace

__all__ = [
    "TIERS",
    "BackendError",
    "DescribedBackend",
    "EngineResult",
    "ExecutionBackend",
    "ExecutionCall",
    "ExecutionError",
    "ExecutionResult",
    "Guarantee",
    "HookContext",
    "HookEvent",
    "HookManager",
    "OwnedBackend",
    "SandboxExecData",
    "TierUnavailableError",
    "UnsupportedPromiseError",
    "Workspace",
    "WorkspaceClosedError",
    "WorkspaceConfig",
    "WorkspaceEngine",
    "WorkspaceExtension",
]

_MODULES = {
    "BackendError": "errors",
    "DescribedBackend": "backend",
    "EngineResult": "engine",
    "ExecutionBackend": "backend",
    "ExecutionCall": "engine",
    "ExecutionError": "errors",
    "ExecutionResult": "result",
    "Guarantee": "engine",
    "HookContext": "hooks",
    "HookEvent": "hooks",
    "HookManager": "hooks",
    "OwnedBackend": "backend",
    "SandboxExecData": "hooks",
    "TIERS": "config",
    "TierUnavailableError": "errors",
    "UnsupportedPromiseError": "errors",
    "Workspace": "workspace",
    "WorkspaceClosedError": "errors",
    "WorkspaceConfig": "config",
    "WorkspaceEngine": "engine",
    "WorkspaceExtension": "engine",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only needed here

    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
