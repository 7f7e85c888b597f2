"""Who an invocation acts for; :mod:`harnest.context` hands it out."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["InvocationIdentity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationIdentity:
    """Who the running invocation acts for; ``repr`` shows the agent alone.

    Attributes:
        agent_name: Name of the agent, as ``config.yaml`` declares it.
        user_id: Identity of the user, or None if the host named none.
        session_id: Identity of the conversation, or None if the host named none.
        invocation_id: Identity of this one invocation, unique in the process.
    """

    agent_name: str
    user_id: str | None = field(repr=False)
    session_id: str | None = field(repr=False)
    invocation_id: str = field(repr=False)
