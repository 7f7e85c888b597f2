"""Close a provider once its executions are over: bounded, and repeatable until it succeeds."""

from __future__ import annotations

import asyncio
import inspect
import threading
from concurrent.futures import Future, wait
from typing import Any

from harnest.sandbox import control, limits
from harnest.sandbox.errors import SandboxExecutionError
from harnest.sandbox.outcome import safe_error
from harnest.sandbox.worker import WorkEndedError, started

__all__ = ["Closing", "aclose_provider"]


class Closing:
    """The end of one provider; a close that hangs is waited for again, never started twice.

    Args:
        patience: Longest wait for the provider's close, in seconds.
    """

    def __init__(self, patience: float = limits.CLOSE_WAIT_SECONDS) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._running: Future[None] | None = None

    def close(self, provider: Any) -> None:
        """Call the provider's ``close``, else its ``aclose``, if it has one.

        Args:
            provider: The provider.

        Raises:
            SandboxExecutionError: It failed or took too long; call again.
        """
        failure = self._attempt(provider)
        if failure is not None:
            raise failure

    def _attempt(self, provider: Any) -> BaseException | None:
        with self._lock:
            if self._running is None:
                self._running = started(lambda: _release(provider))
            done, _ = wait([self._running], self._patience)
            if not done:
                return _late(self._patience)
            error = self._running.exception()
            self._running = None
            return None if error is None else safe_error(error)


async def aclose_provider(provider: Any, patience: float = limits.CLOSE_WAIT_SECONDS) -> None:
    """Await the provider's ``aclose`` in this event loop, in which its resources live.

    Args:
        provider: A provider with ``aclose``.
        patience: Longest wait for it, in seconds.

    Raises:
        SandboxExecutionError: It failed or took too long; call again.
    """
    ending = asyncio.ensure_future(_failure(provider))
    done: set[asyncio.Future[BaseException | None]] = set()
    try:
        # Not wait_for: it waits for ever for a task that does not heed its cancellation.
        done, _ = await asyncio.wait([ending], timeout=patience)
    finally:
        ending.cancel()
    failure = ending.result() if done else _late(patience)
    if failure is not None:
        raise failure


async def _failure(provider: Any) -> BaseException | None:
    try:
        with control.cleanup(limits.CLOSE_WAIT_SECONDS):
            await provider.aclose()
    except Exception as error:  # noqa: BLE001 - third-party code; its error must not leave
        return safe_error(error)
    except BaseException as error:  # noqa: BLE001 - likewise; raised in a task it would end the loop
        return safe_error(WorkEndedError(type(error).__name__))
    return None


def _late(patience: float) -> SandboxExecutionError:
    return SandboxExecutionError(
        f"the sandbox provider did not finish closing within {patience:g} seconds; "
        "close again to wait for it"
    )


def _release(provider: Any) -> None:
    with control.cleanup(limits.CLOSE_WAIT_SECONDS):
        closer = getattr(provider, "close", None) or getattr(provider, "aclose", None)
        ending = closer() if callable(closer) else None
        if inspect.isawaitable(ending):
            asyncio.run(_awaiting(ending))


async def _awaiting(ending: Any) -> None:
    await ending
