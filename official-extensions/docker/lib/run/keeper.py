"""Speak to idle containers, so that they know that their host lives: without a word they end."""

import threading
from collections.abc import Callable

from ..limits import HEARTBEAT_SECONDS


class Keeper:
    """Calls *beat* in the background for as long as it returns whether anybody may need it."""

    def __init__(self, beat: Callable[[], bool]) -> None:
        self._beat = beat
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it began already."""
        with self._lock:
            if self._thread is None and not self._ended.is_set():
                self._thread = threading.Thread(
                    target=self._run, name="harnest-docker-keeper", daemon=True
                )
                self._thread.start()

    def end(self) -> None:
        """End for good."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            with self._lock:
                if not self._beat():
                    self._thread = None
                    return
