"""Which invocation is running here: one context variable and the port behind it.

The variable is inherited by tasks and by ``asyncio.to_thread``, so a copy may outlive the
invocation. Nothing trusts the variable alone: each use asks the invocation whether it is active.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from harnest._identity import InvocationIdentity
from harnest.context._errors import ContextUnavailableError
from harnest.context._values import CredentialResolver, SandboxHandle, Storage

__all__ = ["ACTIVE", "Invocation", "require"]


class Invocation(Protocol):
    """What the runtime offers to the facade for one invocation.

    ``caller`` is the name of the module that asks; an extension is held to its capabilities.
    """

    @property
    def identity(self) -> InvocationIdentity:
        """Who the invocation acts for."""
        ...

    @property
    def active(self) -> bool:
        """Whether it is still running and not revoked."""
        ...

    def sandbox(self, name: str) -> SandboxHandle:
        """Return a granted sandbox."""
        ...

    def sandbox_names(self) -> tuple[str, ...]:
        """Return the names of the granted sandboxes, sorted."""
        ...

    def credentials(self, caller: str) -> CredentialResolver:
        """Return the resolver of the runtime's credential provider."""
        ...

    def extension_context(self, name: str) -> object:
        """Return an extension's context of this invocation."""
        ...

    def storage(self, name: str, caller: str) -> Storage:
        """Return a named storage."""
        ...


ACTIVE: ContextVar[Invocation | None] = ContextVar("harnest.context.invocation", default=None)


def require() -> Invocation:
    """Return the running invocation.

    Raises:
        ContextUnavailableError: None runs here, or the one that this task inherited has ended.
    """
    invocation = ACTIVE.get()
    if invocation is None:
        raise ContextUnavailableError(
            "No invocation is running here. Open one with AgentRuntime.invocation(...)."
        )
    if not invocation.active:
        raise ContextUnavailableError(
            "The invocation that this task or thread inherited has ended and was revoked."
        )
    return invocation
