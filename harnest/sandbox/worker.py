"""Blocking work in a thread of its own, with a copy of the caller's context.

The event loop's default pool has a handful of threads, so queued executions would wait for each
other there; and a provider's ``close`` that never returns must not hang its caller.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from harnest.sandbox import limits
from harnest.sandbox.scope import SandboxControl

__all__ = ["WorkEndedError", "awaited", "started"]

_T = TypeVar("_T")


class WorkEndedError(RuntimeError):
    """Work in a thread raised what would end, or hang, the event loop that waits for it.

    Args:
        kind: Name of the type of what it raised, such as ``SystemExit``.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(f"the work in a thread ended with {kind}")
        self.kind = kind


def started(work: Callable[[], _T]) -> Future[_T]:
    """Run ``work`` in a new daemon thread and return its future at once.

    Args:
        work: Called once, in a copy of the current context.
    """
    future: Future[_T] = Future()
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=context.run, args=(_fulfil, future, work), name="harnest-sandbox", daemon=True
    )
    try:
        thread.start()
    except RuntimeError:
        # From Python 3.12 no thread starts while the interpreter shuts down; what is closed then
        # is closed right here.
        _fulfil(future, work)
    return future


async def awaited(
    work: Callable[[], _T],
    scope: SandboxControl,
    patience: float = limits.CANCEL_WAIT_SECONDS,
) -> _T:
    """Run ``work`` in a thread and wait for it without blocking the event loop.

    When the task is cancelled, the scope's call is cancelled, and the task waits until the work
    has noticed and released what it holds.

    Args:
        work: Blocking call that watches the current control scope.
        scope: Scope that it runs under.
        patience: Longest wait of a cancelled task for the work, in seconds.

    Raises:
        Exception: What ``work`` raises.
        WorkEndedError: It raised StopIteration, or what is no Exception.
    """
    future = asyncio.wrap_future(started(work))
    # If nobody waits any more, its error ends here and not in the event loop's log.
    future.add_done_callback(_retrieve)
    try:
        await asyncio.wait([future])
    except asyncio.CancelledError:
        scope.cancelled.set()
        await asyncio.wait([future], timeout=patience)
        raise
    return future.result()


def _retrieve(future: asyncio.Future[_T]) -> None:
    if not future.cancelled():
        future.exception()


def _fulfil(future: Future[_T], work: Callable[[], _T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - handed to the one who waits
        # An exit of this thread is no exit of the caller's; StopIteration fits into no future.
        fits = isinstance(error, Exception) and not isinstance(error, StopIteration)
        future.set_exception(error if fits else WorkEndedError(type(error).__name__))
    else:
        future.set_result(result)
