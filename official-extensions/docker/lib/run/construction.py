"""The single steps of making one topology; each writes down what it asks for before it asks."""

from collections.abc import Callable

from harnest.sandbox.scope import SandboxControl

from ..contracts.service import DockerService
from ..daemon.port import Channel, DaemonFault, Fault, Image
from ..errors import (
    DockerImageError,
    DockerProtocolError,
    DockerSandboxError,
    DockerStartError,
    Phase,
)
from ..limits import API_SECONDS, NAME_ATTEMPTS
from ..pid1.bundle import command
from ..plan.container import ContainerPlan
from ..plan.containers import primary_plan, service_plan
from ..plan.verification import violations
from ..telemetry import Journal
from .estate import Kind
from .logwatch import LogWatch
from .numbers import container_name
from .primary import Primary, PrimaryLost, explain_start
from .problems import phase, seconds_left
from .readiness import Readiness
from .site import Site
from .topology import ServiceContainer, Topology

_NONSENSE_SECONDS = 0.5
_UNANSWERED = (Fault.TIMEOUT, Fault.UNREACHABLE, Fault.BROKEN)


class Construction:
    """One topology on its way."""

    def __init__(
        self, site: Site, topology: Topology, scope: SandboxControl, journal: Journal
    ) -> None:
        self._site = site
        self._daemon = site.daemon
        self.topology = topology
        self._scope = scope
        self._journal = journal
        self._server = site.server(scope, journal)
        self._plan: ContainerPlan | None = None

    def image(self, reference: str | None, folder: str | None, service: str = "") -> Image:
        """Return the image, pulled or built if need be."""
        source = (reference, folder)
        return self._site.images.resolve(source, self._server, self._scope, self._journal, service)

    def network(self) -> str | None:
        """Create the topology's network if it needs one; return its name."""
        config = self._site.config
        if not config.services and not config.egress:
            return None
        with phase(self._journal, self._scope, Phase.NETWORK):
            return self._site.networks.create(
                self.topology.estate, self._server, self._scope, internal=not config.egress
            )

    def start_primary(self, image: Image, network: str | None) -> None:
        """Create, attach to and start the primary container, and say the first word to it."""

        def plan(number: int) -> ContainerPlan:
            return primary_plan(
                self._site.config,
                image,
                self._server,
                command=tuple(command()),
                name=container_name(number),
                number=number,
                network=network,
                topology=self.topology.estate.topology,
                owner=self._site.owner,
                lease=self._site.lease,
                work=self._site.work,
            )

        with phase(self._journal, self._scope, Phase.CREATION):
            self._plan, container = self._create(Kind.PRIMARY, plan)
        self.topology.container = container
        with phase(self._journal, self._scope, Phase.START):
            # Attached before it runs: from its first moment on, its input ends when this process does.
            channel = self._daemon.attach(container, seconds_left(self._scope), stdin=True)
            self.topology.primary = Primary(channel)
            self.topology.primary.welcome(
                resolver=network is not None and self._plan.closed, lease=self._site.lease
            )
            self._daemon.start(container, seconds_left(self._scope))

    def await_primary(self) -> None:
        """Wait for the primary's first word and compare what holds inside with the plan; once."""
        primary = self.topology.primary
        if primary is None or self._plan is None or primary.facts:
            return
        with phase(self._journal, self._scope, Phase.VERIFICATION):
            try:
                primary.wait_for_hello(self._scope)
            except PrimaryLost as lost:
                raise self._no_first_word(lost) from None
            broken = violations(primary.facts, self._plan)
            if broken:
                raise DockerStartError(
                    Phase.VERIFICATION,
                    f"not enforced by this daemon: {', '.join(broken)}; "
                    "'harnest sandbox doctor' says more",
                )

    def _no_first_word(self, lost: PrimaryLost) -> DockerSandboxError:
        """Return why there was none: what is no Python of ours may say something else and end."""
        patience = seconds_left(self._scope, _NONSENSE_SECONDS if lost.nonsense else API_SECONDS)
        try:
            state = self.topology.last_state(patience)
        except DaemonFault as fault:
            if fault.fault is not Fault.NOT_FOUND:
                raise
            # A container of a workspace is removed as soon as it has ended.
            return DockerImageError(
                Phase.VERIFICATION,
                "the container ended before its first word; "
                "see that the image's python3 is Python 3.8 or newer",
            )
        if lost.nonsense and state.running:
            words = "the container's first word makes no sense"
            return DockerProtocolError(Phase.VERIFICATION, words)
        return explain_start(state)

    def start_service(self, service: DockerService, image: Image, network: str) -> ServiceContainer:
        """Create and start one service."""

        def plan(number: int) -> ContainerPlan:
            return service_plan(
                self._site.config,
                service,
                image,
                self._server,
                name=container_name(number),
                user=_user(service.user) or (number, number),
                network=network,
                topology=self.topology.estate.topology,
                owner=self._site.owner,
                lease=self._site.lease,
            )

        with phase(self._journal, self._scope, Phase.CREATION, service.name):
            _, container = self._create(Kind.SERVICE, plan)
        started = ServiceContainer(service=service, container=container)
        self.topology.services.append(started)
        with phase(self._journal, self._scope, Phase.START, service.name):
            if service.readiness is not None and service.readiness.log is not None:
                started.log = LogWatch(self._attach_output(container), service.readiness.log)
            self._daemon.start(container, seconds_left(self._scope))
        return started

    def await_service(self, service: ServiceContainer) -> None:
        """Wait until a service is ready."""
        with phase(self._journal, self._scope, Phase.READINESS, service.service.name):
            Readiness(self._daemon, self.topology, service).wait(self._scope)

    def _attach_output(self, container: str) -> Channel:
        return self._daemon.attach(container, seconds_left(self._scope), stdin=False)

    def _create(
        self, kind: Kind, plan: Callable[[int], ContainerPlan]
    ) -> tuple[ContainerPlan, str]:
        """Create a container under a user number that no other container on the daemon has."""
        for _ in range(NAME_ATTEMPTS):
            planned = plan(self._number())
            holding = self.topology.estate.request(kind, planned.name)
            try:
                container = self._daemon.create(
                    planned.name, planned.body(), seconds_left(self._scope)
                )
            except DaemonFault as fault:
                if fault.fault not in _UNANSWERED:
                    holding.gone()
                if fault.fault is Fault.NOT_FOUND:
                    self._site.images.forget()
                if fault.fault is not Fault.CONFLICT:
                    raise
            else:
                holding.owned(container)
                self._check_mounts(container, planned)
                return planned, container
        raise DaemonFault(Fault.CONFLICT)

    def _number(self) -> int:
        try:
            number = self._site.numbers.take()
        except LookupError:
            raise DockerSandboxError(
                Phase.CONFIGURATION, "no user number is left; widen HARNEST_DOCKER_UIDS"
            ) from None
        self.topology.numbers.add(number)
        return number

    def _check_mounts(self, container: str, plan: ContainerPlan) -> None:
        """Refuse a container that would keep data on the host in a volume, before it runs."""
        if not plan.volumes:
            return
        mounts = self._daemon.state(container, seconds_left(self._scope)).mounts
        if mounts != len(plan.binds):
            raise DockerStartError(
                Phase.CREATION,
                "a volume of the image could not be replaced by bounded scratch space",
            )


def _user(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    uid, _, gid = text.partition(":")
    return int(uid), int(gid)
