"""Remove what an estate holds, within a window of its own, and keep the handles of what remains."""

import threading
import time
from collections.abc import Callable

from harnest.sandbox import control

from ..daemon.port import Daemon, DaemonFault, Fault
from ..errors import DockerCleanupError, Phase
from ..limits import CLEANUP_SECONDS, LOST_SECONDS
from ..plan.labels import TOPOLOGY
from .estate import Estate, Holding, Kind

_POLL_SECONDS = 0.02
_LEAST_SECONDS = 0.2


def remove_all(daemon: Daemon, estate: Estate, seconds: float) -> bool:
    """Remove everything of *estate* within *seconds*; return whether nothing is left."""
    deadline = time.monotonic() + seconds
    for holding in estate.remaining:
        if not _remove(daemon, estate, holding, deadline):
            holding.unconfirmed()
    return estate.settled


def _remove(daemon: Daemon, estate: Estate, holding: Holding, deadline: float) -> bool:
    while (left := deadline - time.monotonic()) > 0:
        try:
            if holding.lost and not _ours(daemon, estate, holding, left):
                holding.gone()
                return True
            if holding.kind is Kind.NETWORK:
                daemon.remove_network(holding.handle, left)
            else:
                daemon.remove(holding.handle, left)
        except DaemonFault as fault:
            if fault.fault is Fault.NOT_FOUND:
                holding.gone()
                return True
            if fault.fault in (Fault.UNREACHABLE, Fault.BROKEN):
                return False
            # Being removed, or still joined by what is being removed: progress, not failure.
            time.sleep(_POLL_SECONDS)
        else:
            holding.gone()
            return True
    return False


def _ours(daemon: Daemon, estate: Estate, holding: Holding, seconds: float) -> bool:
    """Tell whether the resource with our name, whose creation nobody confirmed, is this topology's."""
    labels = {TOPOLOGY: estate.topology}
    look = daemon.networks if holding.kind is Kind.NETWORK else daemon.containers
    # The daemon may still be making it: what is not there yet is waited for a little.
    until = time.monotonic() + min(seconds / 2, LOST_SECONDS)
    while True:
        if any(item.name == holding.name for item in look(labels, seconds)):
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(_POLL_SECONDS)


class Graveyard:
    """Estates whose removal is not confirmed: while there is one, nothing new is made."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._lock = threading.Lock()
        self._estates: list[Estate] = []

    def bury(self, estate: Estate, forget: Callable[[], None] = lambda: None) -> bool:
        """Remove *estate* in a fresh cleanup window; keep it here if that cannot be confirmed.

        *forget* is called when nothing of it is left.
        """
        with control.cleanup(CLEANUP_SECONDS) as window:
            done = remove_all(self._daemon, estate, _margin(window.remaining()))
        if done:
            forget()
            return True
        with self._lock:
            self._estates.append(estate)
        return False

    def settle(self) -> None:
        """Try again to remove what is left.

        Raises:
            DockerCleanupError: something is still left.
        """
        if not self._estates:
            return
        with self._lock, control.cleanup(CLEANUP_SECONDS) as window:
            deadline = time.monotonic() + _margin(window.remaining())
            self._estates = [
                estate
                for estate in self._estates
                if not remove_all(self._daemon, estate, max(deadline - time.monotonic(), 0.001))
            ]
            left = sum(len(estate.remaining) for estate in self._estates)
        if left:
            raise DockerCleanupError(
                Phase.CLEANUP,
                f"{left} earlier resources could not be removed, so no new ones are made; "
                "see that the daemon answers, then try again or run 'harnest sandbox prune'",
            )

    @property
    def empty(self) -> bool:
        """Whether everything was removed."""
        return not self._estates


def _margin(remaining: float | None) -> float:
    """Leave the scope a little time to end in."""
    return max(_LEAST_SECONDS, (remaining or 0.0) - _LEAST_SECONDS)
