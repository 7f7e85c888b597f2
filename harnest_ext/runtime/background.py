"""An event loop in a thread of its own, for a runtime that is used without asyncio."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from harnest_ext import limits
from harnest_ext.runtime.safely import type_name

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["BackgroundLoop", "LoopBlockedError"]

_T = TypeVar("_T")
_LOGGER = logging.getLogger("harnest.runtime")
_LOOK_SECONDS = 1.0
"""How often a waiting thread looks whether the loop still serves."""


class LoopBlockedError(RuntimeError):
    """Somebody's code keeps the event loop's thread; nothing else can run in it."""


class BackgroundLoop:
    """Runs coroutines for threads that have no loop; extensions' tasks live in it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_tell)
        self._closing = False
        self._ending = False
        self._thread = threading.Thread(target=self._serve, name="harnest-runtime", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _T], *, patience: float | None = None) -> _T:
        """Run a coroutine to its end and return its result.

        An interrupt of the calling thread (a signal's handler that raises) cancels it, waits for
        its end and goes on.

        Args:
            work: What to run.
            patience: Seconds that somebody's code may block the loop; None for ever.

        Raises:
            LoopBlockedError: It was blocked for longer; the work may still go on, or never.
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
            self._await(done, patience)
        except LoopBlockedError:
            raise
        except BaseException:
            self._loop.call_soon_threadsafe(stop)
            self._await(done, patience)
            raise
        return tasks[0].result()

    def close(self, *, seconds: float) -> bool:
        """End the loop and its thread; False if the thread is stuck in somebody's code.

        Args:
            seconds: How long to wait for it; may be asked again.
        """
        if not self._closing:
            self._closing = True
            self._loop.call_soon_threadsafe(self._end)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _end(self) -> None:
        # In the loop, and once: a stop that comes when tasks are being ended would break that off.
        self._ending = True
        self._loop.stop()

    def _await(self, done: threading.Event, patience: float | None) -> None:
        if patience is None:
            done.wait()
            return
        while not done.wait(min(patience, _LOOK_SECONDS)):
            served = threading.Event()
            self._loop.call_soon_threadsafe(served.set)
            if not served.wait(patience) and not done.is_set():
                raise LoopBlockedError

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            while not self._ending:
                # An exit that a task raises is that task's end, not the loop's.
                with suppress(KeyboardInterrupt, SystemExit):
                    self._loop.run_forever()
            self._finish(_end_tasks())
            self._finish(self._loop.shutdown_asyncgens())
            self._finish(self._loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()

    def _finish(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        while not task.done():
            with suppress(KeyboardInterrupt, SystemExit):
                self._loop.run_until_complete(task)


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
