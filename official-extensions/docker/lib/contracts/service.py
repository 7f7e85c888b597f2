"""Declare one service container of a topology."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from harnest.sandbox import SandboxBudget

from ..limits import ALIASES, ARGUMENTS, PORTS, SERVICES, WRITABLE
from .budget import check_budget
from .checks import command, instance, label, ports, sequence, text, unique, user
from .environment import Environment
from .image import image_source
from .readiness import DockerReadiness

RESERVED = frozenset({"sandbox", "localhost"})
_KERNEL = ("/proc", "/sys", "/dev")


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerService:
    """Declare one service: a container beside the primary one, on the same bridge.

    Attributes:
        name: its DNS name inside the topology; a lower-case label, not ``sandbox`` or ``localhost``.
        image: image reference; exactly one of it and *docker_path*.
        docker_path: folder with a ``Dockerfile``, built without network.
        command: replaces the image's command; at most 64 arguments of at most 8 KiB.
        environment: at most 64 entries; never shown.
        ports: ports that it serves inside the topology, 1-65535, at most 32; nothing is published.
        aliases: at most 16 further DNS names.
        readiness: when it can be used; None means once it runs.
        budget: its own limits.
        user: ``"uid"`` or ``"uid:gid"``, numbers, never 0; None means a number nobody else has.
        writable: at most 16 absolute paths that become bounded tmpfs mounts, beside the image's volumes.
        depends_on: names of services that must be ready first.

    Raises:
        ValueError: a value is out of its bounds or of the wrong scalar type.
        TypeError: a container or contract object is of the wrong type.
    """

    name: str
    image: str | None = None
    docker_path: str | None = None
    command: tuple[str, ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=lambda: Environment({}))
    ports: tuple[int, ...] = ()
    aliases: tuple[str, ...] = ()
    readiness: DockerReadiness | None = None
    budget: SandboxBudget = field(default_factory=SandboxBudget)
    user: str | None = None
    writable: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set("name", _service_name(self.name, "service name"))
        owner = f"service '{self.name}'"
        image, docker_path = image_source(self.image, self.docker_path, owner)
        self._set("image", image)
        self._set("docker_path", docker_path)
        self._set("command", command(self.command, f"command of {owner}", most=ARGUMENTS))
        self._set("environment", Environment(self.environment))
        self._set("ports", ports(self.ports, f"ports of {owner}", most=PORTS))
        self._set("aliases", self._names("aliases", most=ALIASES))
        self._set("depends_on", unique(self._names("depends_on", most=SERVICES)))
        self._set("writable", _writable(self.writable, f"writable of {owner}"))
        self._check_contracts(owner)

    def _set(self, option: str, value: object) -> None:
        object.__setattr__(self, option, value)

    def _names(self, option: str, *, most: int) -> tuple[str, ...]:
        names = sequence(getattr(self, option), option, most=most)
        return tuple(_service_name(name, f"{option} of service '{self.name}'") for name in names)

    def _check_contracts(self, owner: str) -> None:
        check_budget(self.budget, f"budget of {owner}")
        if self.readiness is not None:
            instance(self.readiness, f"readiness of {owner}", DockerReadiness)
        if self.user is not None:
            self._set("user", user(self.user, f"user of {owner}"))

    @property
    def names(self) -> tuple[str, ...]:
        """Every DNS name of the service."""
        return (self.name, *self.aliases)


def _service_name(value: object, option: str) -> str:
    name = label(value, option)
    if name in RESERVED:
        raise ValueError(f"{option} must not be {' or '.join(sorted(RESERVED))}")
    return name


def _writable(value: object, option: str) -> tuple[str, ...]:
    return unique(_writable_path(path, option) for path in sequence(value, option, most=WRITABLE))


def _writable_path(value: object, option: str) -> str:
    path = text(value, option)
    pure = PurePosixPath(path)
    if not path.startswith("/") or ".." in pure.parts or pure == PurePosixPath("/") or ":" in path:
        raise ValueError(f"{option} must be absolute paths other than /, without '..' and ':'")
    normal = "/" + "/".join(pure.parts[1:])
    if any(normal == root or normal.startswith(root + "/") for root in _KERNEL):
        raise ValueError(f"{option} must not be below {', '.join(_KERNEL)}")
    return normal
