"""The daemon as the rest of the extension sees it: small answers, and faults that name their kind.

The one adapter is ``sdk.SdkDaemon``. Every call takes the most seconds that it may take.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from ..plan.network import NetworkPlan


class Fault(Enum):
    """Why the daemon did not do what it was asked."""

    UNREACHABLE = "no daemon answers at this address"
    CERTIFICATE = (
        "the certificates for this daemon are missing, or one side does not trust the other's"
    )
    TIMEOUT = "the daemon did not answer in time"
    NOT_FOUND = "the daemon does not know it"
    CONFLICT = "the name is taken"
    IN_PROGRESS = "it is being removed already"
    OVERLAP = "the subnet is taken"
    POOL_EXHAUSTED = "the daemon has no address space left for another network"
    RATE_LIMITED = "the image registry limits requests; wait, or sign in"
    DENIED = "the image registry refuses access; sign in, or check the reference"
    NO_REGISTRY = "the image registry cannot be reached"
    ARCHITECTURE = "the image is for another architecture"
    NO_PROGRAM = "the program to start is not in the image"
    NO_RUNTIME = "the daemon does not know this runtime"
    NO_SPACE = "the daemon's disk is full"
    BUILD_FAILED = "the build failed"
    REFUSED = "the daemon refused the request"
    BROKEN = "the daemon's answer makes no sense"


class DaemonFault(Exception):
    """The daemon did not do what it was asked; it holds no text of the daemon."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault = fault


class SdkMissing(Exception):
    """The Docker SDK cannot be imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What the daemon says of itself."""

    version: str
    api: str
    machine: str
    system: str
    cpus: int
    cgroup: str
    rootless: bool
    local: bool
    runtimes: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def major(self) -> int:
        """The engine's major version, 0 if it has none."""
        head = self.version.partition(".")[0]
        return int(head) if head.isdigit() else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What the daemon says of an image."""

    id: str
    machine: str
    system: str
    volumes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """What the daemon says of a container."""

    status: str
    exit_code: int
    oom_killed: bool
    health: str
    mounts: int
    labels: Mapping[str, str]

    @property
    def running(self) -> bool:
        """Whether it runs now."""
        return self.status in ("running", "paused", "restarting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One container, network or image that was found by its labels."""

    id: str
    name: str
    status: str
    created: float
    labels: Mapping[str, str] = field(repr=False)


class Channel(Protocol):
    """An attached stream: raw bytes of the daemon's multiplexed form out, bytes to the program in."""

    def send(self, data: bytes, timeout: float) -> None:
        """Write all of *data*; DaemonFault if it cannot be written in time."""

    def receive(self, timeout: float) -> bytes | None:
        """Return some bytes, ``b""`` at the end, None when nothing came in time."""

    def exchange(self, data: memoryview, timeout: float) -> tuple[int, bytes | None]:
        """Write some of *data* or receive, whichever can be done first; return how much, and what."""

    def close(self) -> None:
        """Shut the stream down and close it, in any state, from any thread."""


class Daemon(Protocol):
    """What is asked of a daemon. Every method may raise :class:`DaemonFault`."""

    def socket_path(self) -> str | None:
        """Return the path of the socket that the daemon is reached by, None if it is no local one."""

    def server(self, timeout: float) -> Server:
        """Return what the daemon says of itself."""

    def image(self, reference: str, timeout: float) -> Image:
        """Return the image *reference* if the daemon has it; else Fault.NOT_FOUND."""

    def pull(self, reference: str, timeout: float, going: Callable[[], None]) -> None:
        """Fetch an image; *going* is called often and may raise to give up."""

    def build(
        self, archive: bytes, labels: Mapping[str, str], timeout: float, going: Callable[[], None]
    ) -> None:
        """Build an image from a tar archive, without network; it is found by *labels* afterwards."""

    def create(self, name: str, body: Mapping[str, Any], timeout: float) -> str:
        """Create a container and return its id."""

    def attach(self, container: str, timeout: float, *, stdin: bool) -> Channel:
        """Attach to a container that was not started yet."""

    def start(self, container: str, timeout: float) -> None:
        """Start a container."""

    def state(self, container: str, timeout: float) -> ContainerState:
        """Return what the daemon says of a container."""

    def await_end(self, container: str, timeout: float) -> None:
        """Wait until a container does not run; one that was never started does not."""

    def kill(self, container: str, timeout: float) -> None:
        """Kill a container; one that ended already is no fault."""

    def remove(self, container: str, timeout: float) -> None:
        """Kill and remove a container with its anonymous volumes."""

    def run_in(self, container: str, command: Iterable[str], timeout: float) -> int:
        """Run a command in a service and return its exit status."""

    def create_network(self, plan: NetworkPlan, timeout: float) -> str:
        """Create a network and return its id."""

    def remove_network(self, network: str, timeout: float) -> None:
        """Remove a network."""

    def subnets(self, timeout: float) -> list[str]:
        """Return the IPv4 subnets of all networks."""

    def containers(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the containers, running or not, that have *labels*."""

    def networks(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the networks that have *labels*."""

    def images(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the images that have *labels*."""

    def remove_image(self, image: str, timeout: float) -> None:
        """Remove an image."""

    def close(self) -> None:
        """Close every connection."""
