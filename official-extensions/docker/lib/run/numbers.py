"""Hand out user numbers: one for each live container, over all processes that share a daemon.

The container's name holds its number, and names are unique on a daemon, so the daemon itself refuses a
number that another process of ours gave away.
"""

import random
import threading
from typing import Final

PREFIX: Final = "harnest-u"


class Numbers:
    """The numbers that this process has given to live containers."""

    def __init__(self, allowed: range) -> None:
        self._allowed = allowed
        self._lock = threading.Lock()
        self._live: set[int] = set()
        self._choose = random.SystemRandom()

    def take(self) -> int:
        """Return a number that no live container of this process has; LookupError if none is left."""
        with self._lock:
            free = len(self._allowed) - len(self._live)
            if free <= 0:
                raise LookupError("user numbers")
            while True:
                number = self._choose.choice(self._allowed)
                if number not in self._live:
                    self._live.add(number)
                    return number

    def give_back(self, number: int) -> None:
        """The container with *number* is gone."""
        with self._lock:
            self._live.discard(number)


def container_name(number: int) -> str:
    """Return the name of the container with that user number."""
    return f"{PREFIX}{number}"
