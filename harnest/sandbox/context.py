"""On whose behalf a program runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from harnest.sandbox.checks import optional_text

__all__ = ["SandboxContext"]


@dataclass(frozen=True, slots=True)
class SandboxContext:
    """Identity of an invocation, as far as there is one.

    Providers may separate tenants by it. A call outside a runtime has no identity; a provider
    that needs one refuses it.

    Args:
        agent_name: Agent that asked for the execution.
        invocation_id: One turn of that agent.
        user_id: User whom the agent serves.
        session_id: Conversation of that user.

    Raises:
        TypeError: A part is neither str nor None.
    """

    agent_name: str | None = None
    invocation_id: str | None = field(default=None, repr=False)
    user_id: str | None = field(default=None, repr=False)
    session_id: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("agent_name", "invocation_id", "user_id", "session_id"):
            optional_text(name, getattr(self, name))
