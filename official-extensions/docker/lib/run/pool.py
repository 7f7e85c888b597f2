"""Keep fresh topologies ready before they are asked for: never used, and of nobody's identity."""

import threading
from collections import deque
from collections.abc import Callable

from harnest.sandbox import SandboxCancelledError, SandboxExecutionError, control
from harnest.sandbox.scope import SandboxControl

from ..limits import CLEANUP_SECONDS, LATE_SECONDS, QUIET_SECONDS
from ..telemetry import Journal, warn
from .builder import Builder
from .site import Site
from .topology import Topology


class Pool:
    """*size* topologies of one site, refilled in the background once calls have their answers.

    A refill beside a call doubles the call's time, so it waits until no call runs: *quiet* waits that
    long at most, for a number of seconds.
    """

    def __init__(
        self, site: Site, builder: Builder, size: int, quiet: Callable[[float], bool]
    ) -> None:
        self._site = site
        self._builder = builder
        self._size = size
        self._quiet = quiet
        self._changed = threading.Condition()
        self._ready: deque[Topology] = deque()
        self._used: deque[Topology] = deque()
        self._thread: threading.Thread | None = None
        self._wanted = False
        self._building: SandboxControl | None = None
        self._closed = threading.Event()

    def claim(self) -> Topology | None:
        """Return a topology that lives; None if none is ready."""
        while True:
            with self._changed:
                if not self._ready:
                    return None
                topology = self._ready.popleft()
            if topology.alive:
                return topology
            if not self.discard_later(topology):
                self._site.discard(topology, LATE_SECONDS)

    def discard_later(self, topology: Topology) -> bool:
        """Take over the removal of a used topology; False if too many wait: then it is the caller's."""
        topology.release()
        with self._changed:
            if self._closed.is_set() or len(self._used) >= self._size:
                return False
            self._used.append(topology)
        return True

    def refill(self) -> None:
        """Bring the pool to its size in the background; it is called after each answer."""
        if not self._size:
            return
        with self._changed:
            if self._closed.is_set():
                return
            self._wanted = True
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._tend, name="harnest-docker-pool", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def beat(self) -> None:
        """Speak to every waiting topology."""
        for _ in range(len(self._ready)):
            topology = self.claim()
            if topology is None:
                break
            topology.beat()
            self._keep(topology)

    def drain(self) -> list[Topology]:
        """Stop refilling and take every topology out."""
        self._closed.set()
        with self._changed:
            if self._building is not None:
                self._building.cancelled.set()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLEANUP_SECONDS)
        with self._changed:
            taken = [*self._ready, *self._used]
            self._ready.clear()
            self._used.clear()
        return taken

    def _tend(self) -> None:
        while not self._closed.is_set():
            with self._changed:
                while not (self._used or self._short() or self._closed.is_set()):
                    self._changed.wait()
            self._quiet(QUIET_SECONDS)
            used = self._next_used()
            if used is not None:
                self._site.discard(used)
            elif not self._closed.is_set():
                self._add()

    def _short(self) -> bool:
        return self._wanted and len(self._ready) < self._size

    def _next_used(self) -> Topology | None:
        with self._changed:
            return self._used.popleft() if self._used else None

    def _add(self) -> None:
        try:
            with control.execute(self._site.config.timeout_seconds) as scope:
                self._building = scope
                if self._closed.is_set():
                    return
                topology = self._builder.build(scope, Journal())
        except (SandboxExecutionError, SandboxCancelledError, TimeoutError) as error:
            # Calls make their own and tell why they cannot; the next one asks for refilling again.
            self._wanted = False
            if not self._closed.is_set():
                warn("docker.pool.refill_failed", **{"harnest.docker.error": type(error).__name__})
            return
        self._keep(topology)

    def _keep(self, topology: Topology) -> None:
        with self._changed:
            if not self._closed.is_set():
                self._ready.append(topology)
                return
        self._site.discard(topology)
