"""Let a bounded number of calls through, first come first served."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from harnest.sandbox.scope import QueueTimeoutError, SandboxControl

from ..limits import CHECK_SECONDS


class Gate:
    """A gate with *places*; who waits keeps its turn until it is let through or gives up."""

    def __init__(self, places: int) -> None:
        self._lock = threading.Lock()
        self._free = places
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Hold the place that :meth:`wait` gave, and give it to the next one afterwards."""
        try:
            yield
        finally:
            self.leave()

    def wait(self, scope: SandboxControl) -> None:
        """Wait for a place; the wait counts against the scope's deadline.

        Raises:
            QueueTimeoutError: the deadline passed before there was a place.
            SandboxCancelledError: nobody wants the call any more; it never runs.
        """
        scope.check()
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            self._queue(turn, scope)
        except BaseException:
            self._give_up(turn)
            raise

    def attempt(self) -> bool:
        """Take a place if nobody holds or awaits it; never waits."""
        with self._lock:
            if not self._free or self._waiting:
                return False
            self._free -= 1
            return True

    def leave(self) -> None:
        """Give a place to the one who waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def _queue(self, turn: threading.Event, scope: SandboxControl) -> None:
        while not turn.wait(_slice(scope)):
            late = False
            try:
                scope.check()
            except TimeoutError:
                late = True
            if late:
                raise QueueTimeoutError("the deadline passed while the call was queued")
        scope.check()

    def _give_up(self, turn: threading.Event) -> None:
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return
        self.leave()


def _slice(scope: SandboxControl) -> float:
    remaining = scope.remaining()
    return CHECK_SECONDS if remaining is None else min(CHECK_SECONDS, remaining)
