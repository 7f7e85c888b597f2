"""Turn a checked Docker declaration into a portable ``harnest.sandbox.Sandbox``."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from harnest.sandbox import Sandbox, SandboxBudget, SandboxNetworkPolicy

from .contracts.config import DockerSandboxConfig
from .contracts.files import DockerFiles
from .contracts.network import DockerNetwork
from .contracts.options import check_options
from .contracts.scope import DockerScope
from .contracts.service import DockerService
from .limits import OUTPUT_BYTES, RETAINED_SCOPES, TIMEOUT_SECONDS


def docker_sandbox(  # noqa: PLR0913 - the documented options, one by one, for editors and type checkers
    *,
    image: str | None = None,
    docker_path: str | None = None,
    base_url: str | None = None,
    network_policy: SandboxNetworkPolicy | None = None,
    services: tuple[DockerService, ...] | list[DockerService] = (),
    network: DockerNetwork | None = None,
    timeout_seconds: int = TIMEOUT_SECONDS,
    max_output_bytes: int = OUTPUT_BYTES,
    scope: DockerScope = DockerScope.EXECUTION,
    budget: SandboxBudget | None = None,
    max_scopes: int = RETAINED_SCOPES,
    options: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    warm: int = 0,
    max_concurrency: int | None = None,
    files: DockerFiles | None = None,
    tmp_exec: bool = False,
    runtime: str | None = None,
) -> Sandbox:
    """Declare a sandbox whose programs run in Docker. Everything is checked; nothing is contacted.

    Args:
        image: image reference, best with a digest. Exactly one of it and *docker_path*.
        docker_path: folder with a ``Dockerfile``, built at first use, without network.
        base_url: address of the daemon; None means what ``DOCKER_HOST`` or the SDK's default says.
        network_policy: ``none()`` (default) or ``unrestricted()``.
        services: at most eight services beside the program's container.
        network: boundary of the topology; only with *services*.
        timeout_seconds: deadline of a call, all-in (queue, pull, start, readiness, run), 1 to 86400.
        max_output_bytes: bytes kept of both streams together, 1 to 1 GiB.
        scope: who may meet the same container again.
        budget: CPU, memory, processes, scratch space; scratch + 32 MiB must fit into memory,
            and pids be at least 2.
        max_scopes: identities retained at once, 1 to 1024; the least recently used one goes first.
        options: parsing and retry options of the framework adapter.
        metadata: JSON-like values that every request carries.
        warm: topologies kept ready before they are asked for, 0 to 64.
        max_concurrency: calls at once, 1 to 1024; None means twice the number of CPUs.
        files: turns file exchange on; None refuses input files.
        tmp_exec: let programs in ``/tmp`` be executed.
        runtime: another OCI runtime that the daemon knows, such as ``runsc``.

    Raises:
        ValueError: a value is out of its bounds or of the wrong scalar type.
        TypeError: a container or contract object is of the wrong type, or an option is unknown.
        SandboxPolicyUnsupportedError: the policy asks for what Docker cannot enforce.
    """
    config = DockerSandboxConfig(
        image=image,
        docker_path=docker_path,
        base_url=base_url,
        network_policy=SandboxNetworkPolicy.none() if network_policy is None else network_policy,
        services=services,  # type: ignore[arg-type]  # a list becomes a tuple when it is checked
        network=network,
        timeout_seconds=timeout_seconds,
        max_output_bytes=max_output_bytes,
        scope=scope,
        budget=SandboxBudget() if budget is None else budget,
        max_scopes=max_scopes,
        warm=warm,
        max_concurrency=max_concurrency,
        files=files,
        tmp_exec=tmp_exec,
        runtime=runtime,
    )
    return _portable(config, options, metadata)


def _portable(
    config: DockerSandboxConfig,
    options: Mapping[str, Any] | None,
    metadata: Mapping[str, Any] | None,
) -> Sandbox:
    return Sandbox.provider(
        partial(_build, config),
        name="docker",
        timeout_seconds=config.timeout_seconds,
        metadata=metadata,
        network_policy=config.network_policy,
        adapter_options=check_options(options),
    )


def _build(config: DockerSandboxConfig) -> Any:
    # Declaring is cheap: what runs containers is loaded when the first one is asked for.
    from .provider import DockerSandboxProvider  # noqa: PLC0415 - see above

    return DockerSandboxProvider(config)
