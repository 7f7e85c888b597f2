"""The contract between agents, the runtime and the providers of sandboxes.

A provider needs this module and the standard library, nothing else. Importing it imports neither
a framework nor an SDK. What a provider may offer beyond the contract is in
:mod:`harnest.sandbox.optional`.
"""

from __future__ import annotations

# The documented classes report this module as theirs, so their annotations resolve in it.
from collections.abc import Callable, Mapping  # noqa: F401 - see the line above
from typing import Any  # noqa: F401 - see two lines above

from harnest.sandbox import control
from harnest.sandbox.budget import SandboxBudget
from harnest.sandbox.context import SandboxContext
from harnest.sandbox.control import cleanup as cleanup_control
from harnest.sandbox.declaration import Sandbox
from harnest.sandbox.errors import (
    SandboxCancelledError,
    SandboxExecutionError,
    SandboxInputFilesUnsupportedError,
    SandboxPolicyUnsupportedError,
)
from harnest.sandbox.file import SandboxFile
from harnest.sandbox.policy import (
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxProviderCapabilities,
)
from harnest.sandbox.provider import SandboxBackend, SandboxProvider
from harnest.sandbox.request import SandboxRequest
from harnest.sandbox.result import SandboxResult
from harnest.sandbox.status import SandboxStatus

__all__ = [
    "Sandbox",
    "SandboxBackend",
    "SandboxBudget",
    "SandboxCancelledError",
    "SandboxContext",
    "SandboxExecutionError",
    "SandboxFile",
    "SandboxInputFilesUnsupportedError",
    "SandboxNetworkMode",
    "SandboxNetworkPolicy",
    "SandboxPolicyUnsupportedError",
    "SandboxProvider",
    "SandboxProviderCapabilities",
    "SandboxRequest",
    "SandboxResult",
    "SandboxStatus",
    "cleanup_control",
    "control",
]

for _name in __all__:
    if _name.startswith("Sandbox"):
        globals()[_name].__module__ = __name__
del _name
