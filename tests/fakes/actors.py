"""Threads and tasks that do, one step at a time, what a test tells them.

Each has a context of its own, copied from the actor that started it, as ``asyncio.to_thread`` and
``asyncio.create_task`` copy it.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Stage", "TaskActor", "ThreadActor"]

Step = tuple["Callable[[], Any]", "Future[Any]"]


class ThreadActor:
    """A thread that runs each step in its context."""

    def __init__(self, context: contextvars.Context) -> None:
        self._context = context
        self._pool = ThreadPoolExecutor(1)

    def do(self, step: Callable[[], Any]) -> Any:
        """Run a step there and return or raise what it does."""
        return self._pool.submit(self._context.run, step).result()

    def stop(self) -> None:
        """End the thread."""
        self._pool.shutdown()


class TaskActor:
    """A task of one event loop, suspended between its steps."""

    def __init__(self, context: contextvars.Context, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._steps: asyncio.Queue[Step | None] = asyncio.Queue()
        started: Future[asyncio.Task[None]] = Future()

        def begin() -> None:
            started.set_result(loop.create_task(self._live()))

        loop.call_soon_threadsafe(begin, context=context)
        self._task = started.result()

    def do(self, step: Callable[[], Any]) -> Any:
        """Run a step there and return or raise what it does."""
        future: Future[Any] = Future()
        self._loop.call_soon_threadsafe(self._steps.put_nowait, (step, future))
        return future.result()

    def stop(self) -> None:
        """End the task."""
        self._loop.call_soon_threadsafe(self._steps.put_nowait, None)

    async def _live(self) -> None:
        while (item := await self._steps.get()) is not None:
            step, future = item
            try:
                future.set_result(step())
            except BaseException as error:  # noqa: BLE001 - handed to the one who asked
                future.set_exception(error)


class Stage:
    """Where actors come from and where they are ended."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.actors: list[ThreadActor | TaskActor] = []

    def thread(self, by: ThreadActor | TaskActor | None = None) -> ThreadActor:
        """Start a thread in a copy of an actor's context, or in an empty one."""
        actor = ThreadActor(self._copied(by))
        self.actors.append(actor)
        return actor

    def task(self, by: ThreadActor | TaskActor | None = None) -> TaskActor:
        """Start a task in a copy of an actor's context, or in an empty one."""
        actor = TaskActor(self._copied(by), self._loop)
        self.actors.append(actor)
        return actor

    def close(self) -> None:
        """End every actor and the loop."""
        for actor in self.actors:
            actor.stop()
        asyncio.run_coroutine_threadsafe(_ended(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _copied(self, by: ThreadActor | TaskActor | None) -> contextvars.Context:
        copied: contextvars.Context = (
            by.do(contextvars.copy_context) if by else contextvars.Context()
        )
        return copied


async def _ended() -> None:
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
