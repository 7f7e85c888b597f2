"""What running a process of this host fails with: the phase, and nothing of a private cause."""

from __future__ import annotations

from harnest.execution.local import limits
from harnest.sandbox.errors import SandboxExecutionError

__all__ = ["LaunchError", "LocalProgramError", "LocalSandboxError"]


class LocalSandboxError(SandboxExecutionError):
    """An execution could not be carried out; nothing of it is left running.

    Args:
        reason: What happened and what to do, free of code, paths and environment.
        phase: What failed.

    Attributes:
        reason: As above.
        phase: As above.
    """

    def __init__(self, reason: str, *, phase: str) -> None:
        super().__init__(f"{reason} (phase: {phase})")
        self.reason = reason
        self.phase = phase


class LocalProgramError(LocalSandboxError):
    """A program could not be run as it was asked for; its phase is ``configuration`` or ``start``.

    A provider gives it the name of its extension's own error.
    """


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

    @property
    def line(self) -> str:
        """The last line of that, cut, for whoever has to mend it."""
        last = (self.detail.splitlines() or ["it said nothing"])[-1]
        return last[: limits.LAUNCHER_CHARACTERS]
