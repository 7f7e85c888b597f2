"""What a provider implements: one method, and a statement of what it enforces."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from harnest.sandbox.policy import SandboxProviderCapabilities
from harnest.sandbox.request import SandboxRequest
from harnest.sandbox.result import SandboxResult

__all__ = ["SandboxBackend", "SandboxProvider"]


@runtime_checkable
class SandboxBackend(Protocol):
    """Runs code behind a boundary, never by evaluating it in the host's interpreter.

    An implementation owns isolation, deadlines, file handling, concurrency, release of resources,
    and the separation of users and sessions. It may offer ``close()`` or ``aclose()``, which must
    be repeatable after a failure, and the protocols of :mod:`harnest.sandbox.optional`.
    """

    @abstractmethod
    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run Python under the policy that the provider enforces and return what came of it.

        Args:
            request: The program and its bounds.

        Returns:
            Output and outcome; a failing program is a result, not an exception.

        Raises:
            SandboxCancelledError: The caller is gone.
            SandboxInputFilesUnsupportedError: It takes no input files.
            SandboxPolicyUnsupportedError: It can't enforce the request's policy.
            TimeoutError: The deadline passed before the program started.
        """
        ...


@runtime_checkable
class SandboxProvider(SandboxBackend, Protocol):
    """A backend that declares which policies it enforces.

    Attributes:
        sandbox_capabilities: Network controls that hold below the program.
    """

    sandbox_capabilities: SandboxProviderCapabilities
