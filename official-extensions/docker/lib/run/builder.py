"""Make topologies: network, primary container, services, readiness; or leave nothing behind."""

import secrets

from harnest.sandbox.scope import SandboxControl

from ..contracts.service import DockerService
from ..contracts.topology import start_order
from ..daemon.port import Image
from ..errors import Phase
from ..telemetry import Journal
from .construction import Construction
from .estate import Estate
from .patience import removal_patience
from .problems import phase
from .readiness import Readiness
from .site import Site
from .topology import Topology

_TOPOLOGY_BYTES = 6


class Builder:
    """Makes topologies of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def build(self, scope: SandboxControl, journal: Journal) -> Topology:
        """Return a topology that is ready for a program.

        Raises:
            DockerSandboxError: a phase failed; everything made so far is removed, or buried.
            TimeoutError: the scope's deadline passed.
            SandboxCancelledError: the scope was cancelled.
        """
        self._settle(scope, journal)
        estate = Estate(secrets.token_hex(_TOPOLOGY_BYTES))
        topology = Topology(daemon=self._site.daemon, estate=estate)
        journal.topology = estate.topology
        try:
            self._make(Construction(self._site, topology, scope, journal))
        except BaseException:
            self._site.discard(topology, removal_patience(scope))
            raise
        return topology

    def check(self, topology: Topology, scope: SandboxControl, journal: Journal) -> None:
        """Look again at every service of a topology that is about to be used again.

        Raises:
            DockerServiceError: one does not run or answer any more.
        """
        for service in topology.services:
            with phase(journal, scope, Phase.READINESS, service.service.name):
                Readiness(self._site.daemon, topology, service).check(scope)

    def _settle(self, scope: SandboxControl, journal: Journal) -> None:
        """See that earlier removals are finished before anything is added to what is left."""
        if not self._site.graveyard.empty:
            with journal.step(Phase.CLEANUP):
                self._site.graveyard.settle(scope)

    def _make(self, work: Construction) -> None:
        config = self._site.config
        image = work.image(config.image, config.docker_path)
        services = [
            (item, work.image(item.image, item.docker_path, item.name)) for item in config.services
        ]
        network = work.network()
        work.start_primary(image, network)
        if network is not None:
            self._start_services(work, services, network)
        work.await_primary()
        for service in work.topology.services:
            work.await_service(service)

    def _start_services(
        self, work: Construction, services: list[tuple[DockerService, Image]], network: str
    ) -> None:
        images = {service.name: image for service, image in services}
        depending = any(service.depends_on for service, _ in services)
        for group in start_order(service for service, _ in services):
            started = [work.start_service(item, images[item.name], network) for item in group]
            if depending:
                work.await_primary()
                for service in started:
                    work.await_service(service)
