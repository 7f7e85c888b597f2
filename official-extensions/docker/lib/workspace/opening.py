"""Open a workspace: check what is asked for, then try it in a first container, or say what is missing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from harnest.execution import TierUnavailableError, UnsupportedPromiseError, WorkspaceConfig
from harnest.sandbox import SandboxBudget, SandboxNetworkPolicy, control
from harnest.sandbox.scope import SandboxControl

from ..contracts.config import DockerSandboxConfig
from ..daemon.port import Daemon, DaemonFault, Fault, Image, SdkMissing
from ..daemon.sdk import SdkDaemon
from ..errors import DockerSandboxError
from ..limits import (
    TIMEOUT_SECONDS_MAX,
    WORK_CPUS,
    WORK_DIRECTORY,
    WORK_PROCESSES,
    WORK_START_SECONDS,
)
from ..plan.mounts import tmpfs
from ..plan.work import Bind, WorkPlan
from ..run.problems import seconds_left
from ..run.site import Site
from ..run.task import Surroundings
from ..settings import Settings
from .engine import DockerWorkspace
from .paths import check_allowed, check_listeners, check_work_directory, socket_paths
from .person import Person
from .probe import Expected, seen_of
from .promises import image_of, memory_of

TIER: Final = "docker"
_START: Final = "Start Docker, or set DOCKER_HOST to the socket where it is"


def open_workspace(
    config: WorkspaceConfig, directory: Path, daemon: Daemon | None = None
) -> DockerWorkspace:
    """Return a workspace whose first container runs and keeps what *config* asks for.

    Args:
        config: the configuration.
        directory: work directory on this host, without links.
        daemon: the daemon; None is that of ``DOCKER_HOST``, or of this host.

    Raises:
        TierUnavailableError: SDK, daemon, image, or what containers need is missing here.
        UnsupportedPromiseError: a path or value of *config* cannot be kept.
        SandboxCancelledError: nobody wants it any more.
    """
    daemon = daemon or SdkDaemon()
    try:
        with control.execute(WORK_START_SECONDS) as scope, _told():
            return _opened(_Request(config, directory, daemon), scope)
    except BaseException:
        daemon.close()
        raise


@dataclass(frozen=True, slots=True)
class _Request:
    config: WorkspaceConfig
    directory: Path
    daemon: Daemon

    @property
    def budget(self) -> SandboxBudget:
        memory, scratch = memory_of(self.config)
        return SandboxBudget(
            cpu=WORK_CPUS, memory_bytes=memory, pids=WORK_PROCESSES, scratch_bytes=scratch
        )

    def sandbox(self, image: Image) -> DockerSandboxConfig:
        """Return the declaration that containers are made by; the image is the one that was looked at."""
        unrestricted = partial(SandboxNetworkPolicy.unrestricted, block_private_networks=False)
        policy = unrestricted if self.config.network_enabled else SandboxNetworkPolicy.none
        return DockerSandboxConfig(
            image=image.id,
            network_policy=policy(),
            timeout_seconds=min(self.config.timeout_seconds, TIMEOUT_SECONDS_MAX),
            budget=self.budget,
        )

    def work(self, person: Person) -> WorkPlan:
        """Return what of the host is in containers, and as whom programs run."""
        allowed = [os.fspath(path) for path in self.config.allowed_paths]
        return WorkPlan(
            uid=person.uid,
            gid=person.gid,
            binds=(
                Bind(source=os.fspath(self.directory), target=WORK_DIRECTORY, writable=True),
                *(Bind(source=path, target=path) for path in allowed),
            ),
        )

    def surroundings(self, work: WorkPlan, image: Image) -> Surroundings:
        """Return what every task finds."""
        config, budget = self.config, self.budget
        scratch = tmpfs(budget.scratch_bytes, uid=work.uid, gid=work.gid, volumes=image.volumes)
        return Surroundings(
            directory=WORK_DIRECTORY,
            shell=config.shell,
            python=config.python or "",
            cpu_seconds=config.max_cpu_seconds,
            file_bytes=config.max_file_size_mb << 20,
            space_bytes=budget.memory_bytes if config.limit_address_space else 0,
            scratch=tuple(scratch),
            mounts=tuple(bind.target for bind in work.binds),
            variables=tuple(config.environment.items()),
        )


def _opened(request: _Request, scope: SandboxControl) -> DockerWorkspace:
    config, daemon = request.config, request.daemon
    _check_paths(request)
    memory_of(config)
    _check_server(daemon, scope)
    image = _image(config, daemon, scope)
    made = config.directory is None
    person = Person.of(request.directory, made=made, uid=os.geteuid(), gid=os.getegid())
    work = request.work(person)
    _check_volumes(work, image)
    expected = Expected(
        binds=work.binds,
        seen=seen_of(work.binds),
        uid=work.uid,
        gid=work.gid,
        network=bool(config.network_enabled),
        shell=config.shell,
        python=config.python or "",
    )
    sandbox = request.sandbox(image)
    engine = DockerWorkspace(
        config,
        daemon,
        lambda: Site.on(sandbox, daemon, Settings.read(), work),
        request.surroundings(work, image),
        expected,
    )
    engine.start(scope)
    return engine


def _check_paths(request: _Request) -> None:
    socket = request.daemon.socket_path()
    if socket is None:
        raise TierUnavailableError(
            TIER,
            "the daemon is not on this host, so it can't mount folders of it",
            "Unset DOCKER_HOST, or set it to the socket of a daemon on this host",
        )
    sockets = socket_paths(socket)
    check_work_directory(request.directory, sockets)
    allowed = [Path(path) for path in request.config.allowed_paths]
    for path in allowed:
        check_allowed(path, request.directory, sockets)
    check_listeners(allowed)


def _check_server(daemon: Daemon, scope: SandboxControl) -> None:
    server = daemon.server(seconds_left(scope))
    if server.rootless:
        raise TierUnavailableError(
            TIER,
            "the daemon runs without root and gives programs other user numbers than this host's",
            "Set DOCKER_HOST to the socket of a daemon that runs as root",
        )


def _image(config: WorkspaceConfig, daemon: Daemon, scope: SandboxControl) -> Image:
    name, remedy = image_of(config)
    try:
        return daemon.image(name, seconds_left(scope))
    except DaemonFault as fault:
        if fault.fault is not Fault.NOT_FOUND:
            raise
    raise TierUnavailableError(TIER, f"the image {name!r} is not on this daemon", remedy)


def _check_volumes(work: WorkPlan, image: Image) -> None:
    conflicts = work.conflicts(image.volumes)
    if conflicts:
        raise UnsupportedPromiseError(
            f"image: it declares the volume {conflicts[0]}, which lies in a folder of the host that "
            "programs see. Do: take another image, or leave the path out of allowed_paths."
        )


@contextmanager
def _told() -> Iterator[None]:
    """Turn what Docker fails with into the tier's error, raised where the SDK's own is out of reach."""
    problem: TierUnavailableError | None = None
    try:
        yield
    except SdkMissing:
        problem = TierUnavailableError(
            TIER, "the package 'docker' is not installed", "Run 'harnest env sync'"
        )
    except DaemonFault as fault:
        problem = TierUnavailableError(TIER, fault.fault.value, _START)
    except DockerSandboxError as error:
        problem = TierUnavailableError(
            TIER, str(error), "'harnest sandbox doctor' says what holds on this daemon"
        )
    except TimeoutError:
        problem = TierUnavailableError(
            TIER, f"no container was ready in {WORK_START_SECONDS} s", "See that the daemon answers"
        )
    except OSError as error:
        problem = TierUnavailableError(
            TIER,
            "a folder can't be looked at, or not be given to the user that programs run as "
            f"({type(error).__name__})",
            "Name directory and allowed_paths that stay, of a user other than root",
        )
    if problem is not None:
        raise problem
