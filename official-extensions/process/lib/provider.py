"""The sandbox contract, carried out by processes of this host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest.execution.local.provider.frame import LocalProvider

from .errors import ProcessSandboxError
from .tier import ProcessTier

if TYPE_CHECKING:
    from .settings import ProcessSettings

__all__ = ["ProcessSandboxProvider"]


class ProcessSandboxProvider(LocalProvider):
    """Runs each program in a process of its own on this host. No security boundary.

    Args:
        settings: The declaration.

    Raises:
        ProcessSandboxError: The host is no POSIX system, or can't hold programs to a limit.
        SandboxPolicyUnsupportedError: No network is declared, and can't be enforced here.
    """

    def __init__(self, settings: ProcessSettings) -> None:
        if os.name != "posix":
            raise ProcessSandboxError(
                "The process extension needs a POSIX system; use the docker extension here.",
                phase="configuration",
            )
        super().__init__(settings, ProcessTier(settings))
