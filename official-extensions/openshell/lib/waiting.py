"""Waiting in an event loop for blocking work in a thread: bounded, and never left behind."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from harnest.execution import BackendError
from harnest.sandbox import control
from harnest.sandbox.worker import started

from . import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox.scope import SandboxControl

__all__ = ["in_scope", "in_thread"]

_T = TypeVar("_T")


class _TaskCancelled(Exception):
    """Carries a task's cancellation out of its scope.

    Leaving a control scope by another kind than Exception would cancel all of the call around it,
    and what was cancelled is one task.
    """

    def __init__(self, cancellation: BaseException) -> None:
        super().__init__()
        self.cancellation = cancellation


async def in_scope(
    work: Callable[[], _T], seconds: float, opened: Callable[[SandboxControl], None]
) -> _T:
    """Run work under a control scope of its own.

    A task that is cancelled ends the scope and waits, at most
    :data:`~.limits.CANCEL_SECONDS` and however often it is cancelled again, until the work has
    ended what it started.

    Args:
        work: Blocking call that watches the current control scope, and has a deadline of its own.
        seconds: Longest wait for it, for work that does not keep to its deadline.
        opened: Told of the scope before the work begins.

    Raises:
        BackendError: It did not come back in time.
        BaseException: What the work raises.
    """
    try:
        with control.execute(None) as scope:
            opened(scope)
            return await _outcome(work, seconds, scope)
    except _TaskCancelled as cancelled:
        cancellation = cancelled.cancellation
    raise cancellation


async def in_thread(work: Callable[[], _T]) -> _T:
    """Run work that bounds itself, to its end even when the task is cancelled meanwhile.

    Raises:
        BaseException: What the work raises.
    """
    future = asyncio.wrap_future(started(work))
    future.add_done_callback(_retrieve)
    try:
        await asyncio.wait([future])
    except asyncio.CancelledError:
        await _ended(future)
        raise
    return future.result()


async def _outcome(work: Callable[[], _T], seconds: float, scope: SandboxControl) -> _T:
    future = asyncio.wrap_future(started(work))
    # If nobody waits any more, its error ends here and not in the event loop's log.
    future.add_done_callback(_retrieve)
    try:
        await asyncio.wait([future], timeout=seconds)
    except asyncio.CancelledError as error:
        scope.abandon()
        await _ended(future)
        raise _TaskCancelled(error) from None
    if not future.done():
        scope.abandon()
        raise BackendError(f"the gateway did not come back within {seconds:g} seconds")
    return future.result()


async def _ended(future: asyncio.Future[_T]) -> None:
    limit = time.monotonic() + limits.CANCEL_SECONDS
    while not future.done() and (left := limit - time.monotonic()) > 0:
        try:
            await asyncio.wait([future], timeout=left)
        except asyncio.CancelledError:
            continue  # once more, as a timeout around a task group does: the work comes first


def _retrieve(future: asyncio.Future[_T]) -> None:
    if not future.cancelled():
        future.exception()
