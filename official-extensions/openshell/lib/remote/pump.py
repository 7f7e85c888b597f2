"""The events of a running command, so that waiting for one can be given up.

Reading from a gateway blocks; a thread does it, and holds back when nobody takes what it read.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from .. import limits

if TYPE_CHECKING:
    from ..gateway.port import ExecEvent, RunningExec

__all__ = ["Pump"]


class Pump:
    """Reads a command's events in a thread of its own.

    Args:
        running: The command.
    """

    def __init__(self, running: RunningExec) -> None:
        self._running = running
        self._queue: queue.Queue[ExecEvent | Exception | None] = queue.Queue(limits.EVENTS)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._read, name="harnest-openshell", daemon=True)
        self._thread.start()

    def next(self, seconds: float) -> ExecEvent | None:
        """Return the next event, or None if there is none yet.

        Args:
            seconds: Longest wait.

        Raises:
            EOFError: There are no more.
            GatewayRefusedError: The gateway failed.
        """
        try:
            item = self._queue.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return None
        if item is None:
            raise EOFError("the gateway ended a command's stream without its exit code")
        if isinstance(item, Exception):
            raise item
        return item

    def close(self) -> None:
        """Stop reading; what the command does then is not seen any more."""
        self._stopped.set()
        self._running.cancel()
        self._thread.join(limits.DRAIN_SECONDS)

    def _read(self) -> None:
        try:
            for event in self._running:
                if not self._put(event):
                    return
            self._put(None)
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            self._put(error)

    def _put(self, item: ExecEvent | Exception | None) -> bool:
        while not self._stopped.is_set():
            try:
                self._queue.put(item, timeout=limits.SLICE_SECONDS)
            except queue.Full:
                continue
            return True
        return False
