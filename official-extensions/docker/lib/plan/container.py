"""Plan one container: the exact body of the request that creates it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from harnest.sandbox import SandboxBudget

from ..limits import INTERVAL_SECONDS_MAX, OPEN_FILES
from .mounts import TMP, tmpfs
from .work import Bind

_NANOSECONDS: Final = 1_000_000_000
HOME: Final = {
    "HOME": TMP,
    "TMPDIR": TMP,
    "MPLCONFIGDIR": f"{TMP}/.matplotlib",
    "XDG_CACHE_HOME": f"{TMP}/.cache",
}
"""Where libraries put what they keep: the only place that can be written."""
_NO_NETWORK: Final = "none"
_RESOLVER: Final = "127.0.0.1"
_RESOLVER_OPTIONS: Final = ("timeout:1", "attempts:1", "ndots:0")


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """A command that the daemon runs in a container to see whether it can be used."""

    command: tuple[str, ...]
    interval_seconds: float
    timeout_seconds: float
    retries: int
    start_period_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerPlan:
    """Everything about one container before it exists.

    Attributes:
        name: unique on the daemon.
        image: the image's id, so that what was inspected is what runs.
        uid: user number; gid: group number.
        budget: its limits.
        cpus: CPUs that the daemon has; a larger budget is bounded by it.
        volumes: paths of the image's volumes and other writable paths.
        entrypoint: replaces the image's entry point; None keeps it.
        command: replaces the image's command; empty keeps it.
        environment: entries beside our own.
        labels: what it is and whose.
        hostname: its own name.
        network: name of its network; None for none at all.
        aliases: names on that network.
        closed: whether the network is closed: names outside it need not be looked up.
        attached: whether its input is an attached stream that ends with the host.
        seccomp: the profile as JSON.
        runtime: another OCI runtime; None is the daemon's default.
        health: its health check; None turns the image's own off.
        tmp_exec: whether programs in ``/tmp`` can be executed.
        binds: what of the host is in it; empty everywhere but in workspaces.
        forgotten: whether the daemon removes it by itself once it has ended.
    """

    name: str
    image: str
    uid: int
    gid: int
    budget: SandboxBudget
    cpus: float
    volumes: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] | None = None
    command: tuple[str, ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    labels: Mapping[str, str]
    hostname: str
    network: str | None = None
    aliases: tuple[str, ...] = ()
    closed: bool = True
    attached: bool = False
    seccomp: str = field(repr=False)
    runtime: str | None = None
    health: HealthCheck | None = None
    tmp_exec: bool = False
    binds: tuple[Bind, ...] = ()
    forgotten: bool = False

    def body(self) -> dict[str, Any]:
        """Return the body of the daemon's request ``POST /containers/create``."""
        body: dict[str, Any] = {
            "Image": self.image,
            "User": f"{self.uid}:{self.gid}",
            "Hostname": self.hostname,
            "Env": [f"{name}={value}" for name, value in self._environment().items()],
            "Labels": dict(self.labels),
            "Healthcheck": self._health(),
            "AttachStdin": self.attached,
            "AttachStdout": self.attached,
            "AttachStderr": self.attached,
            "OpenStdin": self.attached,
            "StdinOnce": self.attached,
            "Tty": False,
            # Nothing in it is worth a goodbye: a daemon that stops or restarts would wait 10 s for each.
            "StopSignal": "SIGKILL",
            "HostConfig": self._host(),
        }
        if self.entrypoint is not None:
            body["Entrypoint"] = list(self.entrypoint)
        if self.command:
            body["Cmd"] = list(self.command)
        if self.attached:
            body["WorkingDir"] = TMP
        if self.network is not None:
            body["NetworkingConfig"] = {
                "EndpointsConfig": {self.network: {"Aliases": list(self.aliases)}}
            }
        return body

    def _environment(self) -> dict[str, str]:
        user = {"USER": "sandbox", "LOGNAME": "sandbox"}
        return {**HOME, **user, **self.environment}

    def _health(self) -> dict[str, Any]:
        if self.health is None:
            return {"Test": ["NONE"]}
        return {
            "Test": ["CMD", *self.health.command],
            "Interval": _nanoseconds(self.health.interval_seconds),
            "Timeout": _nanoseconds(self.health.timeout_seconds),
            "Retries": self.health.retries,
            "StartPeriod": _nanoseconds(self.health.start_period_seconds),
        }

    def _host(self) -> dict[str, Any]:
        host: dict[str, Any] = {
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges", f"seccomp={self.seccomp}"],
            "Memory": self.budget.memory_bytes,
            "MemorySwap": self.budget.memory_bytes,
            "NanoCpus": int(min(self.budget.cpu, self.cpus) * _NANOSECONDS),
            "PidsLimit": self.budget.pids,
            "Tmpfs": tmpfs(
                self.budget.scratch_bytes,
                uid=self.uid,
                gid=self.gid,
                volumes=self.volumes,
                executable=self.tmp_exec,
            ),
            # Without an IPC namespace of the daemon's making /dev/shm is ours to mount, with its own bound.
            "IpcMode": "none",
            "LogConfig": {"Type": "none", "Config": {}},
            "Ulimits": [_ulimit("core", 0), _ulimit("nofile", OPEN_FILES)],
            "NetworkMode": self.network or _NO_NETWORK,
            "RestartPolicy": {"Name": "no"},
            "AutoRemove": self.forgotten,
            "Init": False,
            "PublishAllPorts": False,
        }
        if self.binds:
            host["Mounts"] = [bind.body() for bind in self.binds]
        if self.closed:
            host["Dns"] = [_RESOLVER]
            host["DnsOptions"] = list(_RESOLVER_OPTIONS)
        return {**host, "Runtime": self.runtime} if self.runtime else host


def _ulimit(name: str, value: int) -> dict[str, Any]:
    return {"Name": name, "Soft": value, "Hard": value}


def _nanoseconds(value: float) -> int:
    return int(min(value, INTERVAL_SECONDS_MAX) * _NANOSECONDS)
