"""An event loop in a thread of its own, for a runtime that is used without asyncio."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from harnest_ext import limits
from harnest_ext.runtime.safely import type_name

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["BackgroundLoop"]

_T = TypeVar("_T")
_LOGGER = logging.getLogger("harnest.runtime")


class BackgroundLoop:
    """Runs coroutines for threads that have no loop; extensions' tasks live in it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_tell)
        self._thread = threading.Thread(target=self._serve, name="harnest-runtime", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end and return its result.

        An interrupt of the calling thread (a signal's handler that raises) cancels it, waits for
        its end and goes on.
        """
        done = threading.Event()
        tasks: list[asyncio.Task[_T]] = []

        def begin() -> None:
            task = self._loop.create_task(work)
            tasks.append(task)
            task.add_done_callback(lambda _task: done.set())

        def stop() -> None:
            # The loop keeps the order, so the task exists by now.
            tasks[0].cancel()

        self._loop.call_soon_threadsafe(begin)
        try:
            done.wait()
        except BaseException:
            self._loop.call_soon_threadsafe(stop)
            done.wait()
            raise
        return tasks[0].result()

    def close(self, *, seconds: float) -> bool:
        """End the loop and its thread; False if the thread is stuck in somebody's code.

        Args:
            seconds: How long to wait for it.
        """
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(_end_tasks())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()


async def _end_tasks() -> None:
    current = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not current]
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=limits.CANCELLED_STOP_SECONDS)


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # The loop's own handler would log the exception with its text, which may hold secrets.
    del loop
    error = context.get("exception")
    told = type_name(error) if isinstance(error, BaseException) else "no exception"
    _LOGGER.error("Something that an extension began in the background failed: %s.", told)
