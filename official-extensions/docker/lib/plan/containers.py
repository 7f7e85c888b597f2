"""Plan the two kinds of containers of a topology from their declarations."""

from ..contracts.config import DockerSandboxConfig
from ..contracts.readiness import DockerReadiness
from ..contracts.service import DockerService
from ..daemon.port import Image, Server
from ..limits import LEASE_SECONDS
from .container import ContainerPlan, HealthCheck
from .labels import PRIMARY, SERVICE_RESOURCE, labels
from .seccomp import profile
from .work import WorkPlan

SANDBOX = "sandbox"
"""Name of the primary container on its topology's network."""


def primary_plan(  # noqa: PLR0913 - the facts that a plan follows from
    config: DockerSandboxConfig,
    image: Image,
    server: Server,
    *,
    command: tuple[str, ...],
    name: str,
    number: int,
    network: str | None,
    topology: str,
    owner: str,
    lease: float = LEASE_SECONDS,
    work: WorkPlan | None = None,
) -> ContainerPlan:
    """Return the plan of the primary container: PID 1 is *command*, whatever the image would start.

    With *work* it is one of a workspace.
    """
    return ContainerPlan(
        name=name,
        image=image.id,
        uid=number if work is None else work.uid,
        gid=number if work is None else work.gid,
        budget=config.budget,
        cpus=server.cpus,
        volumes=image.volumes,
        entrypoint=(),
        command=command,
        labels=labels(PRIMARY, topology=topology, owner=owner, lease=lease),
        hostname=SANDBOX,
        network=network,
        aliases=(SANDBOX,) if network else (),
        closed=not config.egress,
        attached=True,
        seccomp=profile(server.machine, work=work is not None),
        runtime=config.runtime,
        tmp_exec=config.tmp_exec,
        binds=() if work is None else work.binds,
        forgotten=work is not None,
    )


def service_plan(  # noqa: PLR0913 - the facts that a plan follows from
    config: DockerSandboxConfig,
    service: DockerService,
    image: Image,
    server: Server,
    *,
    name: str,
    user: tuple[int, int],
    network: str,
    topology: str,
    owner: str,
    lease: float = LEASE_SECONDS,
) -> ContainerPlan:
    """Return the plan of a service's container: the image's own program, hardened like the primary."""
    return ContainerPlan(
        name=name,
        image=image.id,
        uid=user[0],
        gid=user[1],
        budget=service.budget,
        cpus=server.cpus,
        volumes=(*image.volumes, *service.writable),
        command=service.command,
        environment=service.environment,
        labels=labels(
            SERVICE_RESOURCE, topology=topology, owner=owner, service=service.name, lease=lease
        ),
        hostname=service.name,
        network=network,
        aliases=service.names,
        closed=not config.egress,
        seccomp=profile(server.machine, service=True),
        runtime=config.runtime,
        health=_health(service.readiness),
    )


def _health(readiness: DockerReadiness | None) -> HealthCheck | None:
    if readiness is None or not readiness.command:
        return None
    return HealthCheck(
        command=readiness.command,
        interval_seconds=readiness.interval_seconds,
        timeout_seconds=readiness.timeout_seconds,
        retries=readiness.retries,
        start_period_seconds=readiness.start_period_seconds,
    )
