"""What this provider fails with: the phase that failed, and nothing of the private cause."""

from __future__ import annotations

from harnest.execution.local import LocalSandboxError

__all__ = ["PHASES", "SeatbeltSandboxError"]

PHASES = ("configuration", "probe", "work directory", "input files", "start")
"""Every phase that an error can name."""


class SeatbeltSandboxError(LocalSandboxError):
    """An execution could not be carried out, or this host can't have such a sandbox.

    Nothing of it is left running, and nothing was run without the sandbox instead.

    Args:
        reason: What happened and what to do, free of code and environment.
        phase: One of :data:`PHASES`.
    """
