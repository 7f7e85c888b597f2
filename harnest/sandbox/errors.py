"""What an execution is refused or ended with.

::

    ValueError
    +-- SandboxInputFilesUnsupportedError   the provider takes no input files
    +-- SandboxPolicyUnsupportedError       the provider can't enforce the policy asked for
    RuntimeError
    +-- SandboxCancelledError               the caller or its authority is gone
    +-- SandboxExecutionError               the provider failed; its own error stays hidden
        +-- SandboxClosedError              the managed sandbox is closed

An extension's own errors derive from :class:`SandboxExecutionError`.
"""

from __future__ import annotations

from harnest.sandbox.status import SandboxStatus

__all__ = [
    "SandboxCancelledError",
    "SandboxClosedError",
    "SandboxExecutionError",
    "SandboxInputFilesUnsupportedError",
    "SandboxPolicyUnsupportedError",
]


class SandboxCancelledError(RuntimeError):
    """An execution lost its caller or the authority of its managed invocation.

    Attributes:
        status: Always :attr:`SandboxStatus.CANCELLED`.
    """

    status = SandboxStatus.CANCELLED


class SandboxExecutionError(RuntimeError):
    """A provider failed; the message holds nothing of its private error.

    Args:
        message: What happened and what to do about it, fit to be shown to anyone.
        status: How the execution ended.

    Raises:
        ValueError: ``status`` is no status.
    """

    def __init__(self, message: str, *, status: SandboxStatus = SandboxStatus.FAILED) -> None:
        super().__init__(message)
        self.status = SandboxStatus(status)


class SandboxClosedError(SandboxExecutionError):
    """A managed sandbox was closed, or is being closed, and runs nothing more."""

    def __init__(self, message: str = "the sandbox is closed and runs nothing more") -> None:
        super().__init__(message)


class SandboxInputFilesUnsupportedError(ValueError):
    """A provider can't hand the requested input files to the program."""


class SandboxPolicyUnsupportedError(ValueError):
    """A provider can't enforce a policy that was asked for."""
