"""The end of what was made on a gateway: asked for, and waited for until it is gone."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from harnest.execution import BackendError

from . import limits
from .errors import GatewayRefusedError
from .naming import RELATED
from .remote.box import repeated

if TYPE_CHECKING:
    from .gateway.port import Gateway, SandboxFacts

__all__ = ["found", "related", "remove", "wait_gone"]


def found(gateway: Gateway, name: str) -> SandboxFacts | None:
    """Return the sandbox of a name, or None if there is none.

    Raises:
        GatewayRefusedError: It can't be told.
    """
    try:
        return repeated(lambda: gateway.get(name, limits.RPC_SECONDS))
    except GatewayRefusedError as error:
        if error.code == "NOT_FOUND":
            return None
        raise


def related(facts: SandboxFacts) -> tuple[str, ...]:
    """Return the providers that were made for one sandbox alone."""
    return tuple(name for name in facts.providers if name.startswith(RELATED))


def wait_gone(gateway: Gateway, name: str, sandbox_id: str) -> None:
    """Wait until a deleted sandbox is gone, or another one has its name.

    Args:
        gateway: Where it was.
        name: Its name.
        sandbox_id: Its id; empty if it is not known.

    Raises:
        BackendError: It is still there after :data:`~.limits.GONE_SECONDS`.
    """
    limit = time.monotonic() + limits.GONE_SECONDS
    pause = limits.POLL_FIRST_SECONDS
    while (facts := found(gateway, name)) is not None:
        if sandbox_id not in ("", facts.sandbox_id):
            return
        if time.monotonic() + pause > limit:
            raise BackendError(f"it was not gone after {limits.GONE_SECONDS:.0f} s")
        time.sleep(pause)
        pause = min(pause * 2, limits.POLL_MOST_SECONDS)


def remove(gateway: Gateway, facts: SandboxFacts) -> None:
    """Delete a sandbox and what was made for it alone, and wait for the end.

    Raises:
        BackendError: Not all of it could be deleted.
    """
    repeated(lambda: gateway.delete(facts.name, limits.RPC_SECONDS))
    wait_gone(gateway, facts.name, facts.sandbox_id)
    for name in related(facts):
        repeated(partial(gateway.delete_provider, name, limits.RPC_SECONDS))
