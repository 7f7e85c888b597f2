"""The durable call of an agent framework that this code runs in, if any.

A framework that replays a tool call after a crash names the call. An extension derives the key of
an external submission from that name, so that the replay does not submit twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["NativeDurableCall", "current_native_durable_call", "native_durable_call"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeDurableCall:
    """One call that the framework may replay.

    Attributes:
        call_id: The framework's name of the call: the same at each replay.
    """

    call_id: str

    def __post_init__(self) -> None:
        """Refuse a blank name."""
        if not isinstance(self.call_id, str) or not self.call_id.strip():
            raise ValueError("call_id must be non-blank text")

    def submission_key(  # noqa: PLR0913 - one keyword for each part that makes the key unique
        self,
        *,
        application_id: str,
        user_id: str | None,
        session_id: str | None,
        run_id: str,
        provider: str,
        capability: str,
    ) -> str:
        """Return the key under which this call submits external work.

        The arguments name who submits what. The result is 64 hexadecimal digits, equal for equal
        arguments and the same call, and tells nothing about them.
        """
        parts = (application_id, user_id, session_id, run_id, provider, capability, self.call_id)
        digest = hashlib.sha256()
        for part in parts:
            data = b"-" if part is None else b"+" + part.encode()
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()


_CURRENT: ContextVar[NativeDurableCall | None] = ContextVar("harnest.durable.call", default=None)


def current_native_durable_call() -> NativeDurableCall | None:
    """Return the durable call that this code runs in, or None outside of one."""
    return _CURRENT.get()


@contextmanager
def native_durable_call(call_id: str) -> Iterator[NativeDurableCall]:
    """Name the durable call that the body runs in; for framework adapters."""
    call = NativeDurableCall(call_id=call_id)
    token = _CURRENT.set(call)
    try:
        yield call
    finally:
        _CURRENT.reset(token)
