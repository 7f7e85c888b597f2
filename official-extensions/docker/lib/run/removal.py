"""Remove what an estate holds, within a window of its own, and keep the handles of what remains."""

import contextlib
import math
import threading
import time
from collections.abc import Callable

from harnest.sandbox import control
from harnest.sandbox.scope import SandboxControl

from ..daemon.port import Daemon, DaemonFault, Fault
from ..errors import DockerCleanupError, Phase
from ..limits import CHECK_SECONDS, CLEANUP_SECONDS, ENDING_SECONDS, LOST_SECONDS
from ..telemetry import warn
from .doubts import Doubts, made
from .estate import Estate, Holding, Kind
from .patience import in_background

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
    if holding.kind is Kind.PRIMARY and not holding.lost:
        _let_end(daemon, holding, deadline - time.monotonic())
    while (left := deadline - time.monotonic()) > 0:
        try:
            if holding.lost and not _ours(daemon, estate, holding, left):
                holding.unseen = True
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


def _let_end(daemon: Daemon, holding: Holding, seconds: float) -> None:
    """Wait a moment for a primary whose input has ended: a kill costs the daemon a process of its own."""
    with contextlib.suppress(DaemonFault):
        daemon.await_end(holding.handle, max(0.0, min(seconds, ENDING_SECONDS)))


def _ours(daemon: Daemon, estate: Estate, holding: Holding, seconds: float) -> bool:
    """Tell whether the resource with our name, whose creation nobody confirmed, is this topology's."""
    # The daemon may still be making it: what is not there yet is waited for a little.
    until = time.monotonic() + min(seconds / 2, LOST_SECONDS)
    while True:
        if made(daemon, estate.topology, holding, seconds):
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(_POLL_SECONDS)


class _Burial:
    """The removal of one estate; *forget* is called when nothing of it is left."""

    def __init__(self, estate: Estate, forget: Callable[[], None]) -> None:
        self.estate = estate
        self.forget = forget
        self.over = threading.Event()
        self.late = False
        self.tried = 0.0
        self.confirmed = False


class Graveyard:
    """Every removal until it is confirmed: while an attempt has failed, nothing new is made."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._lock = threading.Lock()
        self._retrying = threading.Lock()
        self._burials: list[_Burial] = []
        self._doubts = Doubts(daemon)

    def bury(
        self,
        estate: Estate,
        forget: Callable[[], None] = lambda: None,
        patience: float = CLEANUP_SECONDS,
    ) -> bool:
        """Remove *estate* in a fresh cleanup window; return whether nothing is left after *patience*.

        What takes longer goes on, and what could not be removed is kept here.
        """
        burial = _Burial(estate, forget)
        with self._lock:
            self._burials.append(burial)
        if patience >= CLEANUP_SECONDS or not in_background(
            lambda: self._attempt(burial), "harnest-docker-removal"
        ):
            self._attempt(burial)
        else:
            burial.late = not burial.over.wait(patience)
        return burial.confirmed

    def settle(self, scope: SandboxControl | None = None, since: float = math.inf) -> None:
        """Finish the removals that failed or that were not waited for, while *scope* lasts.

        Without a scope, at the end of everything, what was never seen is looked for once more too.

        What was tried and failed later than *since* (monotonic) is not tried again.

        Raises:
            DockerCleanupError: something is still left.
            TimeoutError: the deadline passed; the removal goes on.
        """
        if scope is None:
            self._doubts.look(LOST_SECONDS)
        if not self._burials:
            return
        with self._retrying if scope is None else scope.acquire(self._retrying):
            for burial in self._unsettled():
                _await(burial, scope)
                if not burial.confirmed and burial.tried < since:
                    self._retry(burial)
                    _await(burial, scope)
            left = sum(len(burial.estate.remaining) for burial in self._unsettled())
        if left:
            raise DockerCleanupError(
                Phase.CLEANUP,
                f"{left} earlier resources could not be removed, so no new ones are made; "
                "see that the daemon answers, then try again or run 'harnest sandbox prune'",
            )

    @property
    def empty(self) -> bool:
        """Whether everything was removed."""
        return not self._burials

    def _unsettled(self) -> list[_Burial]:
        """Return what failed or is late; a removal that somebody waits for is that one's trouble."""
        with self._lock:
            return [burial for burial in self._burials if burial.over.is_set() or burial.late]

    def _retry(self, burial: _Burial) -> None:
        """Begin another attempt: whoever asked for it may have to leave before it is over."""
        burial.late = True
        burial.over.clear()
        if not in_background(lambda: self._attempt(burial), "harnest-docker-removal"):
            self._attempt(burial)

    def _attempt(self, burial: _Burial) -> None:
        try:
            with control.cleanup(CLEANUP_SECONDS) as window:
                remove_all(self._daemon, burial.estate, _margin(window.remaining()))
                self._doubts.look(_margin(window.remaining()))
        except TimeoutError:
            # The window closed in the last request: what is known of the estate decides.
            pass
        finally:
            self._conclude(burial)

    def _conclude(self, burial: _Burial) -> None:
        burial.tried = time.monotonic()
        burial.confirmed = burial.estate.settled
        if burial.confirmed:
            self._doubts.add(burial.estate)
            burial.forget()
            with self._lock:
                self._burials.remove(burial)
        else:
            warn(
                "docker.cleanup.unconfirmed",
                burial.estate.topology,
                **{"harnest.docker.left": len(burial.estate.remaining)},
            )
        burial.over.set()


def _await(burial: _Burial, scope: SandboxControl | None) -> None:
    while not burial.over.wait(CHECK_SECONDS):
        if scope is not None:
            scope.check()


def _margin(remaining: float | None) -> float:
    """Leave the scope a little time to end in."""
    return max(_LEAST_SECONDS, (remaining or 0.0) - _LEAST_SECONDS)
