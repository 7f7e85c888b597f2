"""What this provider fails with: the phase that failed, and nothing of the private cause."""

from __future__ import annotations

from harnest.sandbox import SandboxExecutionError

__all__ = ["PHASES", "ProcessSandboxError"]

PHASES = ("configuration", "work directory", "input files", "start", "execution", "cleanup")
"""Every phase that an error can name."""


class ProcessSandboxError(SandboxExecutionError):
    """An execution could not be carried out; nothing of it is left running.

    Args:
        message: What happened and what to do, free of code, paths and environment.
        phase: One of :data:`PHASES`.
    """

    def __init__(self, message: str, *, phase: str) -> None:
        super().__init__(f"{message} (phase: {phase})")
        self.phase = phase
