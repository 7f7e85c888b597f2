"""One writer at a time for each file, among tasks of any event loop and thread of this process."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Hashable

__all__ = ["WriteLocks"]


class WriteLocks:
    """Locks by key, each there only while somebody holds or wants it.

    The locks of :mod:`asyncio` belong to one event loop; tools are also called from several.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: dict[Hashable, deque[Future[None]]] = {}

    @contextlib.asynccontextmanager
    async def holding(self, key: Hashable) -> AsyncIterator[None]:
        """Hold the lock of a key; who asked first has it first.

        Args:
            key: What is locked.
        """
        turn = self._join(key)
        if turn is not None:
            try:
                await asyncio.wrap_future(turn)
            except asyncio.CancelledError:
                self._abandon(key, turn)
                raise
        try:
            yield
        finally:
            self._pass_on(key)

    def _join(self, key: Hashable) -> Future[None] | None:
        with self._guard:
            if key not in self._waiting:
                self._waiting[key] = deque()
                return None
            turn: Future[None] = Future()
            self._waiting[key].append(turn)
            return turn

    def _abandon(self, key: Hashable, turn: Future[None]) -> None:
        with self._guard:
            if turn.cancel():
                queue = self._waiting.get(key, deque())
                if turn in queue:
                    queue.remove(turn)
                return
        self._pass_on(key)  # the turn had come already

    def _pass_on(self, key: Hashable) -> None:
        with self._guard:
            queue = self._waiting[key]
            while queue:
                turn = queue.popleft()
                # False for one whose task was cancelled a moment ago: it leaves by itself.
                if turn.set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            del self._waiting[key]
