"""What all topologies of one declaration share: the daemon, names, numbers, images, the graveyard."""

from dataclasses import dataclass

from harnest.sandbox.scope import SandboxControl

from ..contracts.config import DockerSandboxConfig
from ..daemon.port import Daemon, DaemonFault, Server
from ..errors import DockerSandboxError, Phase
from ..limits import CLEANUP_SECONDS, TIDY_SECONDS
from ..plan.owner import Owner
from ..plan.seccomp import ARCHITECTURES
from ..plan.work import WorkPlan
from ..settings import Settings
from ..telemetry import Journal, warn
from .images import Images
from .inventory import prune
from .networks import Networks
from .numbers import Numbers
from .problems import phase, seconds_left
from .removal import Graveyard
from .topology import Topology


@dataclass(slots=True, kw_only=True, eq=False)
class Site:
    """The parts that making and removing topologies needs; *work* is a workspace's."""

    config: DockerSandboxConfig
    daemon: Daemon
    owner: str
    numbers: Numbers
    graveyard: Graveyard
    images: Images
    networks: Networks
    lease: float
    known: Server | None = None
    tidied: bool = False
    work: WorkPlan | None = None

    @classmethod
    def on(
        cls,
        config: DockerSandboxConfig,
        daemon: Daemon,
        settings: Settings,
        work: WorkPlan | None = None,
    ) -> "Site":
        """Return the site of *config* on *daemon*; contacts nothing."""
        owner = Owner.here().text
        return cls(
            config=config,
            daemon=daemon,
            owner=owner,
            numbers=Numbers(settings.uids),
            graveyard=Graveyard(daemon),
            images=Images(daemon, owner),
            networks=Networks(daemon, settings, owner),
            lease=settings.lease,
            work=work,
        )

    def server(self, scope: SandboxControl, journal: Journal) -> Server:
        """Return what the daemon says of itself, asked once.

        Raises:
            DockerSandboxError: no daemon answers, or it cannot run what is declared here.
        """
        if self.known is None:
            with phase(journal, scope, Phase.CONNECTION):
                server = self.daemon.server(seconds_left(scope))
            if server.system != "linux" or server.machine not in ARCHITECTURES:
                raise DockerSandboxError(
                    Phase.CONFIGURATION,
                    "the daemon must run Linux containers on one of "
                    + ", ".join(sorted(ARCHITECTURES)),
                )
            self.known = server
            self._tidy(seconds_left(scope, TIDY_SECONDS))
        return self.known

    def _tidy(self, seconds: float) -> None:
        """Remove what dead processes left, once; a call never fails for it."""
        if self.tidied:
            return
        self.tidied = True
        try:
            pruned = prune(self.daemon, images=False, seconds=seconds)
        except DaemonFault as fault:
            warn("docker.tidy.failed", **{"harnest.docker.fault": fault.fault.name})
            return
        if pruned.removed or pruned.kept:
            counts: dict[str, object] = {
                "harnest.docker.removed": len(pruned.removed),
                "harnest.docker.kept": len(pruned.kept),
            }
            warn("docker.tidy", "", **counts)

    def discard(self, topology: Topology, patience: float = CLEANUP_SECONDS) -> bool:
        """End a topology and remove it; return whether nothing is left of it after *patience*."""
        topology.release()

        def forget() -> None:
            for number in topology.numbers:
                self.numbers.give_back(number)

        return self.graveyard.bury(topology.estate, forget, patience)
