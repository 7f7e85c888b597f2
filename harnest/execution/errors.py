"""What execution backends fail with.

::

    Exception
    +-- ExecutionError
        +-- BackendError               a call that was begun could not be carried out
        +-- TierUnavailableError       the chosen tier can't run here; nothing was started
        +-- UnsupportedPromiseError    (ValueError) the tier can't keep what was asked for
        +-- WorkspaceClosedError       it is not open, or was closed meanwhile

A failing, late or greedy program is no error but an :class:`~harnest.execution.ExecutionResult`.
A wrong argument is a plain ValueError or TypeError, raised before anything is started.
"""

from __future__ import annotations

__all__ = [
    "BackendError",
    "ExecutionError",
    "TierUnavailableError",
    "UnsupportedPromiseError",
    "WorkspaceClosedError",
]


class ExecutionError(Exception):
    """Base of everything that a backend itself fails with."""


class BackendError(ExecutionError):
    """A call that was begun could not be carried out; what came of its program is not known.

    Never told as a result with an exit code that no program returned.
    """


class TierUnavailableError(ExecutionError):
    """The chosen tier can't run here. Nothing was started, and no other tier is taken instead.

    Args:
        tier: Name of the tier.
        reason: What is missing: its extension, its daemon, an image, another system, a probe that
            failed.
        remedy: What to do about it.
    """

    def __init__(self, tier: str, reason: str, remedy: str) -> None:
        super().__init__(
            f"the tier {tier!r} can't run here: {reason}. Nothing was run, and no other tier is "
            f"used instead. {remedy}"
        )
        self.tier = tier
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.tier, self.reason, self.remedy)


class UnsupportedPromiseError(ExecutionError, ValueError):
    """A configuration asks a tier for something that it can't keep."""


class WorkspaceClosedError(ExecutionError):
    """The workspace is not open: it was not started yet, or it is closed."""
