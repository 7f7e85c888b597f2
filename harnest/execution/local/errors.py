"""What running a process of this host fails with: the phase, and nothing of a private cause."""

from __future__ import annotations

from harnest.sandbox.errors import SandboxExecutionError

__all__ = ["LocalProgramError"]


class LocalProgramError(SandboxExecutionError):
    """A program could not be run as it was asked for; nothing of it is left running.

    Args:
        reason: What happened and what to do, free of code, paths and environment.
        phase: ``configuration`` or ``start``.

    Attributes:
        reason: As above.
        phase: As above.
    """

    def __init__(self, reason: str, *, phase: str) -> None:
        super().__init__(f"{reason} (phase: {phase})")
        self.reason = reason
        self.phase = phase
