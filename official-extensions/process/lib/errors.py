"""What this provider fails with: the phase that failed, and nothing of the private cause."""

from __future__ import annotations

from harnest.execution.local import LocalSandboxError

__all__ = ["PHASES", "ProcessSandboxError"]

PHASES = ("configuration", "work directory", "input files", "start", "execution", "cleanup")
"""Every phase that an error can name."""


class ProcessSandboxError(LocalSandboxError):
    """An execution could not be carried out; nothing of it is left running.

    Args:
        reason: What happened and what to do, free of code, paths and environment.
        phase: One of :data:`PHASES`.
    """
