"""On whose authority code runs in this thread or task, and whether that still stands.

The runtime grants it for the length of an invocation. Control scopes capture it when they open, so
that work in other threads ends when the invocation does; adapters take the identity from it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

from harnest.sandbox.context import SandboxContext

__all__ = ["ExecutionAuthority", "acting_as", "current_authority"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionAuthority:
    """An invocation's identity and its right to execute.

    Attributes:
        context: Identity that requests carry.
        revoked: Asked from any thread, must not block; true for good once the invocation ended.
    """

    context: SandboxContext
    revoked: Callable[[], bool] = field(repr=False)


_CURRENT: ContextVar[ExecutionAuthority | None] = ContextVar(
    "harnest.sandbox.authority", default=None
)


def current_authority() -> ExecutionAuthority | None:
    """Return the authority of this thread or task, or None outside an invocation."""
    return _CURRENT.get()


@contextlib.contextmanager
def acting_as(authority: ExecutionAuthority | None) -> Iterator[None]:
    """Let everything inside, and tasks and threads that copy its context, act on ``authority``.

    Args:
        authority: The authority to act on; None takes it away.
    """
    token = _CURRENT.set(authority)
    try:
        yield
    finally:
        _CURRENT.reset(token)
