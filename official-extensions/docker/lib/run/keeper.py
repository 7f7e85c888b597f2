"""Speak to idle containers, so that they know that their host lives: without a word they end."""

import threading
from collections.abc import Callable

from .patience import in_background


class Keeper:
    """Calls *beat* in the background every so many *seconds* until it is ended."""

    def __init__(self, beat: Callable[[], None], seconds: float) -> None:
        self._beat = beat
        self._seconds = seconds
        self._lock = threading.Lock()
        self._begun = False
        self._ended = threading.Event()

    def start(self) -> None:
        """Begin, unless it began already."""
        with self._lock:
            if not self._begun:
                self._begun = True
                in_background(self._run, "harnest-docker-keeper")

    def end(self) -> None:
        """End for good."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(self._seconds):
            self._beat()
