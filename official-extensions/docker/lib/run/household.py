"""What one declaration has once it was used: a site, retained and waiting topologies, their keeper."""

import time

from ..contracts.config import DockerSandboxConfig
from ..daemon.port import Daemon
from ..errors import Phase
from ..limits import BEATS_PER_LEASE
from ..settings import Settings
from .builder import Builder
from .call import Call
from .calls import Calls
from .keeper import Keeper
from .patience import each, removal_patience
from .pool import Pool
from .primary import RunResult
from .problems import phase
from .retention import Retention, Slot
from .site import Site
from .topology import Topology

_REMOVALS_AT_ONCE = 8


class Household:
    """Runs programs in fresh, waiting or retained topologies, and removes what is left of them."""

    def __init__(self, config: DockerSandboxConfig, daemon: Daemon, calls: Calls) -> None:
        settings = Settings.read()
        self._site = Site.on(config, daemon, settings)
        self._builder = Builder(self._site)
        self._retention = Retention(config.max_scopes, self._site.discard)
        self._pool = Pool(self._site, self._builder, config.warm, calls.quiet)
        self._keeper = Keeper(self._beat, settings.lease / BEATS_PER_LEASE)
        # Fresh containers that are made when they are asked for are never idle.
        self._idles = config.scope.retained or config.warm > 0

    def run_once(self, call: Call) -> RunResult:
        """Run a program in a topology that nobody had before and nobody gets afterwards."""
        waiting = self._pool.claim()
        topology = waiting or self._builder.build(call.scope, call.journal)
        result = self._run(topology, call, fresh=True)
        if waiting is None or not topology.usable or not self._pool.discard_later(topology):
            self._discard(topology, call)
        return result

    def run_retained(self, slot: Slot, call: Call) -> RunResult:
        """Run a program in the topology of *slot*, made if there is none that can be used."""
        retained = self._retained(slot, call)
        topology = retained or self._pool.claim() or self._builder.build(call.scope, call.journal)
        result = self._run(topology, call, fresh=retained is None)
        if topology.usable:
            slot.topology = topology
        else:
            self._discard(topology, call)
        return result

    @property
    def retention(self) -> Retention:
        """The retained topologies."""
        return self._retention

    def answered(self) -> None:
        """A call has its answer: there is time for the background."""
        self._pool.refill()
        if self._idles:
            self._keeper.start()

    def close(self) -> None:
        """Remove everything.

        Raises:
            DockerCleanupError: something could not be removed; call again.
        """
        started = time.monotonic()
        self._keeper.end()
        topologies = [*self._pool.drain(), *self._retention.drain()]
        for topology in topologies:
            topology.release()
        each(self._site.discard, topologies, at_once=_REMOVALS_AT_ONCE)
        self._site.graveyard.settle(since=started)
        self._site.daemon.close()

    def _beat(self) -> None:
        self._retention.beat()
        self._pool.beat()

    def _retained(self, slot: Slot, call: Call) -> Topology | None:
        """Take the topology out of *slot* if it can be used again.

        Raises:
            DockerServiceError: a service of it fails; the next call gets a new topology.
        """
        topology, slot.topology = slot.topology, None
        if topology is None:
            return None
        call.journal.topology = topology.estate.topology
        if not topology.alive:
            self._discard(topology, call)
            return None
        try:
            self._builder.check(topology, call.scope, call.journal)
        except BaseException:
            self._discard(topology, call)
            raise
        return topology

    def _run(self, topology: Topology, call: Call, *, fresh: bool) -> RunResult:
        call.journal.topology = topology.estate.topology
        call.journal.fresh = fresh
        try:
            with phase(call.journal, call.scope, Phase.EXECUTION):
                return topology.run(call.program, call.scope, call.on_output)
        except BaseException:
            self._discard(topology, call)
            raise

    def _discard(self, topology: Topology, call: Call) -> None:
        """Remove a topology; a call does not wait for all of it past its deadline."""
        with call.journal.step(Phase.CLEANUP):
            call.journal.removed &= self._site.discard(topology, removal_patience(call.scope))
