"""The containers of one workspace, each with one call at a time; calls beside each other share the folder alone."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harnest.sandbox.scope import SandboxControl

from ..errors import Phase
from ..limits import WORK_LANES
from ..run.builder import Builder
from ..run.gate import Gate
from ..run.patience import each, removal_patience
from ..run.site import Site
from ..run.topology import Topology
from ..telemetry import Journal


class Lanes:
    """At most :data:`WORK_LANES` containers, made when a call finds no idle one.

    *check* is called with each new container and refuses one in which something does not hold.
    """

    def __init__(self, site: Site, check: Callable[[Topology, SandboxControl], None]) -> None:
        self._site = site
        self._check = check
        self._builder = Builder(site)
        self._gate = Gate(WORK_LANES)
        self._lock = threading.Lock()
        self._idle: list[Topology] = []

    @contextmanager
    def lent(self, scope: SandboxControl, journal: Journal) -> Iterator[Topology]:
        """Lend a container; who waits for one waits in turn, and at the cost of its own deadline.

        Raises:
            DockerSandboxError: none can be made.
            TimeoutError: the deadline passed before there was one.
            SandboxCancelledError: nobody wants the call any more.
        """
        with journal.step(Phase.QUEUE):
            self._gate.wait(scope)
        with self._gate.inside():
            topology = self._take(scope) or self.made(scope, journal)
            try:
                yield topology
            finally:
                self._give_back(topology, scope)

    def made(self, scope: SandboxControl, journal: Journal) -> Topology:
        """Make a container and look at what holds in it.

        Raises:
            DockerSandboxError: it cannot be made, or something does not hold.
        """
        topology = self._builder.build(scope, journal)
        try:
            with journal.step(Phase.VERIFICATION):
                self._check(topology, scope)
        except BaseException:
            self._site.discard(topology, removal_patience(scope))
            raise
        return topology

    def keep(self, topology: Topology) -> None:
        """Take an idle container in."""
        with self._lock:
            self._idle.append(topology)

    def beat(self) -> None:
        """Speak to every idle container."""
        with self._lock:
            for topology in self._idle:
                topology.beat()

    def close(self) -> None:
        """Remove every container; no call runs any more.

        Raises:
            DockerCleanupError: something could not be removed; call again.
        """
        started = time.monotonic()
        with self._lock:
            idle, self._idle = self._idle, []
        for topology in idle:
            topology.release()
        each(self._site.discard, idle, at_once=WORK_LANES)
        self._site.graveyard.settle(since=started)

    def _take(self, scope: SandboxControl) -> Topology | None:
        """Return the container that was used last, so that the others need not wake up."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                topology = self._idle.pop()
            if topology.alive:
                return topology
            self._site.discard(topology, removal_patience(scope))

    def _give_back(self, topology: Topology, scope: SandboxControl) -> None:
        if topology.usable:
            self.keep(topology)
        else:
            self._site.discard(topology, removal_patience(scope))
