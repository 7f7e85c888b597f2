"""What running a process of this host fails with: the phase, and nothing of a private cause."""

from __future__ import annotations

from harnest.sandbox.errors import SandboxExecutionError

__all__ = ["LaunchError", "LocalProgramError"]


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


class LaunchError(LocalProgramError):
    """A launcher ended before the supervisor was there: its confinement could not be made.

    Args:
        detail: What it wrote to its error output, which may hold paths of this host.

    Attributes:
        detail: As above.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(
            "The confinement of the program could not be made, so it was not run. `harnest sandbox "
            "doctor` says what is missing.",
            phase="start",
        )
        self.detail = detail
