"""Create a topology's network on the first subnet that nobody has."""

import ipaddress
import random
from collections.abc import Iterator

from harnest.sandbox.scope import SandboxControl

from ..daemon.port import Daemon, DaemonFault, Fault, Server
from ..limits import SUBNET_ATTEMPTS
from ..plan.labels import NETWORK, labels
from ..plan.network import PREFIX, NetworkPlan, bridge_options, free_subnets, host_routes
from ..settings import Settings
from .estate import Estate, Kind
from .problems import seconds_left


class Networks:
    """Makes networks on one daemon."""

    def __init__(self, daemon: Daemon, settings: Settings, owner: str) -> None:
        self._daemon = daemon
        self._settings = settings
        self._owner = owner
        self._choose = random.SystemRandom()

    def create(
        self, estate: Estate, server: Server, scope: SandboxControl, *, internal: bool
    ) -> str:
        """Create the network of *estate* and return its name.

        Raises:
            DaemonFault: every subnet that was tried is taken, or the daemon refuses for another reason.
        """
        name = f"harnest-{estate.topology}"
        bridge = f"{PREFIX}{estate.topology}"
        for attempt, subnet in enumerate(self._subnets(server, scope)):
            plan = NetworkPlan(
                name=name,
                bridge=bridge,
                subnet=str(subnet),
                internal=internal,
                options=bridge_options(bridge, internal=internal, engine=server.major),
                labels=labels(
                    NETWORK,
                    topology=estate.topology,
                    owner=self._owner,
                    lease=self._settings.lease,
                ),
            )
            holding = estate.request(Kind.NETWORK, name)
            try:
                holding.owned(self._daemon.create_network(plan, seconds_left(scope)))
            except DaemonFault as fault:
                if fault.fault not in (Fault.TIMEOUT, Fault.UNREACHABLE, Fault.BROKEN):
                    holding.gone()
                if fault.fault is not Fault.OVERLAP or attempt + 1 >= SUBNET_ATTEMPTS:
                    raise
            else:
                return name
        # Every subnet that the operator allows is taken: as with the daemon's own pools.
        raise DaemonFault(Fault.POOL_EXHAUSTED)

    def _subnets(self, server: Server, scope: SandboxControl) -> Iterator[ipaddress.IPv4Network]:
        taken = [
            ipaddress.IPv4Network(text, strict=False)
            for text in self._daemon.subnets(seconds_left(scope))
        ]
        # The daemon does not look at the host's routes; those of another machine cannot be seen here.
        routes = host_routes() if server.local else []
        return free_subnets(self._settings.subnets, [*taken, *routes], self._choose)
