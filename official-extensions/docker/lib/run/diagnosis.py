"""Try what this daemon really enforces: a container is started and looked at from inside."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace

from harnest.sandbox import SandboxExecutionError, SandboxNetworkPolicy, control
from harnest.sandbox.optional import DiagnosisState, SandboxDiagnosis

from ..contracts.config import DockerSandboxConfig
from ..daemon.port import Daemon, DaemonFault, SdkMissing, Server
from ..errors import DockerSandboxError
from ..limits import DIAGNOSIS_SECONDS, PROBE_COMMAND_SECONDS
from ..plan.network import PREFIX, host_routes
from ..plan.seccomp import ARCHITECTURES
from ..settings import Settings
from ..telemetry import Journal
from .builder import Builder
from .site import Site

FIREWALL = ("INPUT", "-i", f"{PREFIX}+", "-j", "DROP")
"""The rule that ends what internal bridges still let through to the host: broadcast and multicast."""
_OK, _DEGRADED, _UNAVAILABLE = (
    DiagnosisState.OK,
    DiagnosisState.DEGRADED,
    DiagnosisState.UNAVAILABLE,
)


def diagnose(config: DockerSandboxConfig, daemon: Daemon) -> Iterator[SandboxDiagnosis]:
    """Yield what holds here, from the daemon's address to the limits inside a container."""
    try:
        server = daemon.server(DIAGNOSIS_SECONDS)
    except SdkMissing:
        yield _found(
            "sdk", _UNAVAILABLE, "the package 'docker' is missing", "run 'harnest env sync'"
        )
        return
    except DaemonFault as fault:
        advice = "start Docker, or set DOCKER_HOST or base_url to where it is"
        yield _found("daemon", _UNAVAILABLE, fault.fault.value, advice)
        return
    yield _found(
        "daemon", _OK, f"engine {server.version}, API {server.api}, cgroup v{server.cgroup}"
    )
    yield _architecture(server)
    yield from _rootless(server)
    yield from _runtime(config, server)
    yield from _subnets(server)
    yield _broadcast(server)
    yield from _container(config, daemon)


def _architecture(server: Server) -> SandboxDiagnosis:
    if server.system == "linux" and server.machine in ARCHITECTURES:
        return _found("architecture", _OK, f"there is a system call profile for {server.machine}")
    return _found(
        "architecture",
        _UNAVAILABLE,
        "the daemon runs no Linux containers on a known architecture",
        "use a daemon on " + ", ".join(sorted(ARCHITECTURES)),
    )


def _rootless(server: Server) -> Iterator[SandboxDiagnosis]:
    if server.rootless:
        detail = "the daemon runs without root; some limits depend on what its user was delegated"
        yield _found("rootless", _DEGRADED, detail, "delegate cpu, memory and pids to the user")


def _runtime(config: DockerSandboxConfig, server: Server) -> Iterator[SandboxDiagnosis]:
    if config.runtime is None:
        return
    if config.runtime in server.runtimes:
        yield _found("runtime", _OK, "the daemon knows the declared runtime")
    else:
        known = ", ".join(server.runtimes)
        yield _found("runtime", _UNAVAILABLE, f"the daemon knows {known}", "install the runtime")


def _subnets(server: Server) -> Iterator[SandboxDiagnosis]:
    try:
        settings = Settings.read()
    except DockerSandboxError as error:
        yield _found("settings", _UNAVAILABLE, str(error), "correct the setting")
        return
    routes = host_routes() if server.local else []
    free = [net for net in settings.subnets if not any(net.subnet_of(route) for route in routes)]
    if free:
        yield _found("subnets", _OK, f"topologies get subnets of {', '.join(map(str, free))}")
    else:
        yield _found(
            "subnets",
            _UNAVAILABLE,
            "the host has routes into every range for topologies",
            "set HARNEST_DOCKER_SUBNETS to a free range",
        )


def _broadcast(server: Server) -> SandboxDiagnosis:
    """Tell whether the host drops what topologies send to everybody."""
    rule = f"iptables -I {' '.join(FIREWALL)}"
    iptables = shutil.which("iptables")
    if not server.local or iptables is None or os.geteuid() != 0:
        detail = "the firewall cannot be looked at from here"
        return _found("host-broadcast", _DEGRADED, detail, f"on the daemon's host, as root: {rule}")
    try:
        there = subprocess.run(
            [iptables, "-C", *FIREWALL],
            capture_output=True,
            timeout=PROBE_COMMAND_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return _found("host-broadcast", _DEGRADED, "iptables gives no answer", rule)
    if there.returncode == 0:
        return _found("host-broadcast", _OK, "the host drops everything from topology bridges")
    detail = "UDP broadcast and multicast of a topology reach the host; answers do not come back"
    return _found("host-broadcast", _DEGRADED, detail, rule)


def _container(config: DockerSandboxConfig, daemon: Daemon) -> Iterator[SandboxDiagnosis]:
    """Start a container of the declared image, alone and without a network, and remove it."""
    bare = replace(
        config, services=(), network=None, network_policy=SandboxNetworkPolicy.none(), warm=0
    )
    journal = Journal()
    try:
        site = Site.on(bare, daemon, Settings.read())
        with control.execute(int(DIAGNOSIS_SECONDS)) as scope:
            topology = Builder(site).build(scope, journal)
    except (SandboxExecutionError, TimeoutError) as error:
        detail = str(error) if isinstance(error, DockerSandboxError) else "the deadline passed"
        yield _found(
            "container", _UNAVAILABLE, detail, "see the phase that the message begins with"
        )
        return
    facts = topology.primary.facts if topology.primary is not None else {}
    removed = site.discard(topology)
    version = facts.get("python", "?")
    yield _found("container", _OK, f"a hardened container with Python {version} started")
    yield _found(
        "limits",
        _OK,
        "memory, swap, CPU, processes and scratch space are those declared, read from inside",
    )
    yield _found(
        "privileges", _OK, "no capabilities, no new privileges, system call filter, own user number"
    )
    if removed:
        yield _found("cleanup", _OK, "the container was removed")
    else:
        yield _found("cleanup", _UNAVAILABLE, "the container could not be removed", "run prune")


def _found(name: str, state: DiagnosisState, detail: str, remedy: str = "") -> SandboxDiagnosis:
    return SandboxDiagnosis(name=name, state=state, detail=detail, remedy=remedy)
