"""The Docker extension: what ``from harnest.extensions.docker import docker`` gives.

Declaring contacts nothing; the first execution starts resources, and the SDK is imported then.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harnest.extensions import Extension, ExtensionContext
from harnest.sandbox import Sandbox, SandboxBudget

from .lib.contracts.files import DockerFiles
from .lib.contracts.network import DockerNetwork
from .lib.contracts.readiness import DockerReadiness
from .lib.contracts.scope import DockerScope
from .lib.contracts.service import DockerService
from .lib.declaration import docker_sandbox
from .lib.provider import DockerSandboxProvider

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution import WorkspaceConfig, WorkspaceEngine

__all__ = [
    "DockerExtension",
    "DockerFiles",
    "DockerNetwork",
    "DockerReadiness",
    "DockerSandboxProvider",
    "DockerScope",
    "DockerService",
    "docker",
    "docker_sandbox",
    "extension",
]


class DockerExtension(Extension[ExtensionContext]):
    """Declares Docker sandboxes and what belongs to them, and is the tier ``docker`` of workspaces."""

    def sandbox(self, **options: Any) -> Sandbox:
        """Declare a sandbox; the options are those of :func:`docker_sandbox`.

        Raises:
            ValueError: a value is out of its bounds or of the wrong scalar type.
            TypeError: a container or contract object is of the wrong type, or an option is unknown.
            SandboxPolicyUnsupportedError: the policy asks for what Docker cannot enforce.
        """
        return docker_sandbox(**options)

    def service(  # noqa: PLR0913 - the documented options, one by one
        self,
        *,
        name: str,
        image: str | None = None,
        docker_path: str | None = None,
        command: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        ports: Sequence[int] = (),
        aliases: Sequence[str] = (),
        readiness: DockerReadiness | None = None,
        budget: SandboxBudget | None = None,
        user: str | None = None,
        writable: Sequence[str] = (),
        depends_on: Sequence[str] = (),
    ) -> DockerService:
        """Declare one service of a topology; :class:`DockerService` says what each option means.

        Raises:
            ValueError: a value is out of its bounds or of the wrong scalar type.
            TypeError: a container or contract object is of the wrong type, or an option is unknown.
        """
        return DockerService(
            name=name,
            image=image,
            docker_path=docker_path,
            command=command,  # type: ignore[arg-type]  # lists become tuples when they are checked
            environment={} if environment is None else environment,
            ports=ports,  # type: ignore[arg-type]
            aliases=aliases,  # type: ignore[arg-type]
            readiness=readiness,
            budget=SandboxBudget() if budget is None else budget,
            user=user,
            writable=writable,  # type: ignore[arg-type]
            depends_on=depends_on,  # type: ignore[arg-type]
        )

    def network(self, *, internal: bool = True) -> DockerNetwork:
        """Declare the topology's bridge; *internal* keeps every packet inside.

        Raises:
            TypeError: *internal* is not exactly True or False.
        """
        return DockerNetwork(internal=internal)

    def readiness(  # noqa: PLR0913 - the documented options, one by one
        self,
        *,
        command: Sequence[str] = (),
        tcp: int | None = None,
        log: str | None = None,
        interval_seconds: float = 1.0,
        timeout_seconds: float = 2.0,
        retries: int = 30,
        start_period_seconds: float = 0.0,
    ) -> DockerReadiness:
        """Declare when a service can be used; :class:`DockerReadiness` says what each option means.

        Raises:
            ValueError: not exactly one kind, or a value out of its bounds.
            TypeError: *command* is not a list or tuple.
        """
        return DockerReadiness(
            command=command,  # type: ignore[arg-type]  # a list becomes a tuple when it is checked
            tcp=tcp,
            log=log,
            interval_seconds=interval_seconds,
            timeout_seconds=timeout_seconds,
            retries=retries,
            start_period_seconds=start_period_seconds,
        )

    def files(self, **bounds: int) -> DockerFiles:
        """Turn file exchange on, within ``max_count`` files and ``max_bytes`` bytes each way.

        Raises:
            ValueError: a bound is not an int in its range.
        """
        return DockerFiles(**bounds)

    def workspace(self, config: "WorkspaceConfig", directory: "Path") -> "WorkspaceEngine":
        """Open a workspace whose calls run in containers: the only way that host folders are mounted.

        Args:
            config: the configuration.
            directory: work directory on this host, absolute and without links.

        Raises:
            TierUnavailableError: SDK, daemon or image is missing, or does not give what is promised.
            UnsupportedPromiseError: a path or value of *config* cannot be kept.
        """
        # Only who opens a workspace needs it.
        from .lib.workspace.opening import open_workspace  # noqa: PLC0415 - see above

        return open_workspace(config, directory)


extension = DockerExtension()
docker = extension
