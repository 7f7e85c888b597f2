"""Hold one sandbox declaration, checked as a whole."""

import re
from dataclasses import dataclass, field

from harnest.sandbox import SandboxBudget, SandboxNetworkMode, SandboxNetworkPolicy

from ..limits import (
    CONCURRENCY_MAX,
    OUTPUT_BYTES,
    OUTPUT_BYTES_MAX,
    PROCESSES_MIN,
    RETAINED_SCOPES,
    RETAINED_SCOPES_MAX,
    TIMEOUT_SECONDS,
    TIMEOUT_SECONDS_MAX,
    WARM_MAX,
)
from .budget import check_budget
from .checks import flag, instance, integer, text
from .files import DockerFiles
from .image import image_source
from .network import DockerNetwork
from .scope import DockerScope
from .service import DockerService
from .topology import check_network, check_services

_RUNTIME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}", re.ASCII)
_BASE_URL = re.compile(r"(unix|tcp|http|https|ssh|npipe|http\+unix)://\S+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerSandboxConfig:
    """One declared Docker sandbox. ``docker.sandbox`` documents each field; all are checked here.

    Raises:
        ValueError: a value is out of its bounds or of the wrong scalar type.
        TypeError: a container or contract object is of the wrong type.
        SandboxPolicyUnsupportedError: the network policy asks for what Docker cannot enforce.
    """

    image: str | None = None
    docker_path: str | None = None
    base_url: str | None = field(default=None, repr=False)
    network_policy: SandboxNetworkPolicy = field(default_factory=SandboxNetworkPolicy.none)
    services: tuple[DockerService, ...] = ()
    network: DockerNetwork | None = None
    timeout_seconds: int = TIMEOUT_SECONDS
    max_output_bytes: int = OUTPUT_BYTES
    scope: DockerScope = DockerScope.EXECUTION
    budget: SandboxBudget = field(default_factory=SandboxBudget)
    max_scopes: int = RETAINED_SCOPES
    warm: int = 0
    max_concurrency: int | None = None
    files: DockerFiles | None = None
    tmp_exec: bool = False
    runtime: str | None = None

    def __post_init__(self) -> None:
        image, docker_path = image_source(self.image, self.docker_path, "the sandbox")
        object.__setattr__(self, "image", image)
        object.__setattr__(self, "docker_path", docker_path)
        self._check_numbers()
        self._check_contracts()
        self._check_texts()
        services = check_services(self.services)
        object.__setattr__(self, "services", services)
        network = check_network(self.network, services, self.network_policy)
        object.__setattr__(self, "network", network)

    def _check_numbers(self) -> None:
        integer(self.timeout_seconds, "timeout_seconds", least=1, most=TIMEOUT_SECONDS_MAX)
        integer(self.max_output_bytes, "max_output_bytes", least=1, most=OUTPUT_BYTES_MAX)
        integer(self.max_scopes, "max_scopes", least=1, most=RETAINED_SCOPES_MAX)
        integer(self.warm, "warm", least=0, most=WARM_MAX)
        if self.max_concurrency is not None:
            integer(self.max_concurrency, "max_concurrency", least=1, most=CONCURRENCY_MAX)

    def _check_contracts(self) -> None:
        instance(self.network_policy, "network_policy", SandboxNetworkPolicy)
        instance(self.scope, "scope", DockerScope)
        if check_budget(self.budget, "budget").pids < PROCESSES_MIN:
            raise ValueError(
                f"budget: pids must be at least {PROCESSES_MIN}: the container's first process is one"
            )
        flag(self.tmp_exec, "tmp_exec")
        if self.files is not None:
            instance(self.files, "files", DockerFiles)

    def _check_texts(self) -> None:
        if self.base_url is not None and not _BASE_URL.fullmatch(text(self.base_url, "base_url")):
            raise ValueError("base_url must be an address such as unix:///var/run/docker.sock")
        if self.runtime is not None and not _RUNTIME.fullmatch(text(self.runtime, "runtime")):
            raise ValueError("runtime must be the name of a runtime that the daemon knows")

    @property
    def egress(self) -> bool:
        """Whether the containers may reach beyond the topology."""
        if self.network is not None:
            return not self.network.internal
        return self.network_policy.mode is SandboxNetworkMode.UNRESTRICTED
