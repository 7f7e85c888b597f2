"""What the daemon was asked to make and nobody saw: it may be made yet, so it is looked for again."""

import threading
import time
from dataclasses import dataclass

from ..daemon.port import Daemon, DaemonFault
from ..limits import DOUBT_SECONDS
from ..plan.labels import TOPOLOGY
from .estate import Estate, Holding, Kind


def made(daemon: Daemon, topology: str, holding: Holding, seconds: float) -> bool:
    """Tell whether a resource with the name of *holding* is there and is of *topology*.

    Raises:
        DaemonFault: the daemon does not say.
    """
    look = daemon.networks if holding.kind is Kind.NETWORK else daemon.containers
    return any(item.name == holding.name for item in look({TOPOLOGY: topology}, seconds))


@dataclass(frozen=True, slots=True)
class _Doubt:
    topology: str
    holding: Holding
    until: float


class Doubts:
    """The resources of one declaration that a slow daemon may make after they were given up."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._lock = threading.Lock()
        self._open: list[_Doubt] = []

    def add(self, estate: Estate) -> None:
        """Remember what of *estate* was asked for and never seen."""
        until = time.monotonic() + DOUBT_SECONDS
        with self._lock:
            self._open += [_Doubt(estate.topology, item, until) for item in estate.unseen]

    def look(self, seconds: float) -> None:
        """Remove what was made after all; each request takes at most *seconds*."""
        with self._lock:
            doubts, self._open = self._open, []
        left = [doubt for doubt in doubts if not self._over(doubt, seconds)]
        with self._lock:
            self._open += left

    def _over(self, doubt: _Doubt, seconds: float) -> bool:
        if time.monotonic() > doubt.until:
            return True
        holding = doubt.holding
        try:
            if not made(self._daemon, doubt.topology, holding, seconds):
                return False
            if holding.kind is Kind.NETWORK:
                self._daemon.remove_network(holding.name, seconds)
            else:
                self._daemon.remove(holding.name, seconds)
        except DaemonFault:
            # The next look tells.
            return False
        return True
