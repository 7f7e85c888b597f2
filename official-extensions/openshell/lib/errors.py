"""What the OpenShell extension fails with.

::

    harnest.execution.ExecutionError
    +-- TierUnavailableError
    |   +-- OpenShellUnavailableError      no gateway, no SDK, or another version of it
    +-- BackendError
        +-- GatewayRefusedError            the gateway failed or refused a request
        +-- OpenShellStartError            a sandbox could not be made; what was made is gone again
        +-- OwnershipError                 the sandbox belongs to somebody else; it was not touched
        |   +-- PolicyDiffersError         it is ours, but runs under another policy
        +-- SyncFailedError                files could not be brought back; the sandbox is kept
        +-- DeleteFailedError              something could not be deleted; the message names it
    harnest.sandbox.SandboxExecutionError
    +-- OpenShellSandboxError              what the sandbox provider fails with, by phase

No message holds a secret's value: what a gateway says passes :meth:`Secrets.redact` first.
"""

from __future__ import annotations

from harnest.execution import BackendError, TierUnavailableError
from harnest.sandbox import SandboxExecutionError

__all__ = [
    "PHASES",
    "DeleteFailedError",
    "GatewayRefusedError",
    "OpenShellSandboxError",
    "OpenShellStartError",
    "OpenShellUnavailableError",
    "OwnershipError",
    "PolicyDiffersError",
    "SyncFailedError",
]

PHASES = ("configuration", "sandbox", "input files", "execution", "output files", "cleanup")
"""Every phase that an error of the sandbox provider can name."""


class OpenShellUnavailableError(TierUnavailableError):
    """The SDK or the gateway can't be used; nothing was started.

    Args:
        reason: What is missing.
        remedy: What to do about it.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__("openshell", reason, remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.reason, self.remedy)


class GatewayRefusedError(BackendError):
    """The gateway failed, or refused a request.

    Args:
        what: The request, such as ``CreateSandbox``.
        code: Name of the gRPC status, such as ``UNAVAILABLE``.
        detail: What the gateway said, free of secrets.

    Attributes:
        what: The request.
        code: The status.
    """

    def __init__(self, what: str, code: str, detail: str) -> None:
        super().__init__(f"the gateway answered {what} with {code}: {detail or 'no detail'}")
        self.what = what
        self.code = code
        self.detail = detail

    @property
    def may_be_done(self) -> bool:
        """Whether the request may have been carried out although its answer was lost."""
        return self.code in _LOST

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.code, self.detail)


_LOST = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "UNKNOWN", "INTERNAL", "CANCELLED"})


class OpenShellStartError(BackendError):
    """A sandbox could not be made ready. What was made on the way is deleted, or named."""


class OwnershipError(BackendError):
    """A sandbox of this name exists and is not this owner's; it was neither used nor deleted."""


class PolicyDiffersError(OwnershipError):
    """The sandbox is this owner's, but runs under another policy than the one that is wanted."""


class SyncFailedError(BackendError):
    """Files could not be brought back; the sandbox is kept, and the message says its name.

    Args:
        message: What happened.
        sandbox: Name of the sandbox that holds the files.

    Attributes:
        sandbox: The name.
    """

    def __init__(self, message: str, sandbox: str) -> None:
        super().__init__(message)
        self.sandbox = sandbox

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.sandbox)


class DeleteFailedError(BackendError):
    """Something that was made could not be deleted; the message names it. Close again."""


class OpenShellSandboxError(SandboxExecutionError):
    """An execution could not be carried out.

    Args:
        message: What happened and what to do, free of code, files and secrets.
        phase: One of :data:`PHASES`.
    """

    def __init__(self, message: str, *, phase: str) -> None:
        super().__init__(f"{message} (phase: {phase})")
        self.phase = phase
