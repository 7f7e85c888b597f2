"""Waiting in an event loop for blocking work in a thread: bounded, and never left behind."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from harnest.execution import limits
from harnest.execution.errors import BackendError
from harnest.sandbox.worker import started

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox.scope import SandboxControl

__all__ = ["TaskCancelled", "carried_out", "in_thread"]

_T = TypeVar("_T")


class TaskCancelled(Exception):
    """The task was cancelled, and its work has ended; whoever opened the scope goes on with that.

    An Exception, since leaving a control scope by another kind of error cancels all of the call
    around it. What was cancelled here is one task.

    Args:
        cancellation: The error to go on with.
    """

    def __init__(self, cancellation: BaseException) -> None:
        super().__init__()
        self.cancellation = cancellation


async def carried_out(work: Callable[[], _T], scope: SandboxControl, seconds: float) -> _T:
    """Run work under a control scope and wait for it.

    A cancelled task ends the scope, not what is around it, and waits, at most
    :data:`~harnest.execution.limits.CANCEL_SECONDS` and however often it is cancelled again, until
    the work has ended what it started.

    Args:
        work: Blocking call that watches the current control scope.
        scope: That scope.
        seconds: Its deadline; the work may take
            :data:`~harnest.execution.limits.OVERDUE_SECONDS` longer to come back.

    Raises:
        BackendError: It did not come back in time.
        TaskCancelled: The task was cancelled.
        BaseException: What the work raises.
    """
    future = asyncio.wrap_future(started(work))
    future.add_done_callback(_retrieve)
    try:
        await asyncio.wait([future], timeout=seconds + limits.OVERDUE_SECONDS)
    except asyncio.CancelledError as error:
        scope.abandon()
        await _ended(future)
        raise TaskCancelled(error) from None
    if not future.done():
        scope.abandon()
        raise BackendError(
            f"the tier did not come back within {limits.OVERDUE_SECONDS:g} seconds of the "
            "deadline of the call; what it started may still run"
        )
    return future.result()


async def in_thread(work: Callable[[], _T], seconds: float | None = None) -> _T:
    """Run blocking work, to its end even when the task is cancelled meanwhile.

    Args:
        work: The work, which bounds itself.
        seconds: Longest wait for it, as work of others may not do so; None for no such bound.

    Raises:
        BackendError: It did not come back in time.
        BaseException: What the work raises.
    """
    future = asyncio.wrap_future(started(work))
    future.add_done_callback(_retrieve)
    try:
        await asyncio.wait([future], timeout=seconds)
    except asyncio.CancelledError:
        await _ended(future)
        raise
    if not future.done():
        raise BackendError(f"the tier did not come back within {seconds:g} seconds; try again")
    return future.result()


async def _ended(future: asyncio.Future[_T]) -> None:
    limit = time.monotonic() + limits.CANCEL_SECONDS
    while not future.done() and (left := limit - time.monotonic()) > 0:
        try:
            await asyncio.wait([future], timeout=left)
        except asyncio.CancelledError:
            # Cancelled once more, as a timeout around a task group does: the program comes first.
            continue


def _retrieve(future: asyncio.Future[_T]) -> None:
    if not future.cancelled():
        future.exception()
