"""Turn a daemon's fault into the typed error of the phase that met it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from harnest.sandbox.scope import SandboxControl

from ..daemon.port import DaemonFault, Fault, SdkMissing
from ..errors import (
    DockerImageError,
    DockerNetworkError,
    DockerSandboxError,
    DockerServiceError,
    DockerStartError,
    DockerUnavailable,
    Phase,
)
from ..limits import API_SECONDS, CHECK_SECONDS
from ..telemetry import Journal

_IMAGE_PHASES: Final = (Phase.RESOLUTION, Phase.PULL, Phase.BUILD, Phase.POLICY)
_IMAGE_FAULTS: Final = (Fault.ARCHITECTURE, Fault.NO_PROGRAM)
_UNAVAILABLE: Final = (Fault.UNREACHABLE, Fault.CERTIFICATE, Fault.TIMEOUT, Fault.BROKEN)
_ADVICE: Final = {
    Fault.UNREACHABLE: "start Docker, or set DOCKER_HOST or base_url to where it is",
    Fault.CERTIFICATE: "see DOCKER_TLS_VERIFY and DOCKER_CERT_PATH (ca.pem, cert.pem, key.pem)",
    Fault.POOL_EXHAUSTED: "remove unused networks, or set HARNEST_DOCKER_SUBNETS to a free range",
    Fault.OVERLAP: "set HARNEST_DOCKER_SUBNETS to a free range",
    Fault.NO_SPACE: "free some space on the daemon's machine",
}


def seconds_left(scope: SandboxControl, most: float = API_SECONDS) -> float:
    """Return the most seconds that one request may take; check the scope first."""
    scope.check()
    remaining = scope.remaining()
    return most if remaining is None else min(most, max(remaining, 0.001))


@contextmanager
def phase(journal: Journal, scope: SandboxControl, name: str, service: str = "") -> Iterator[None]:
    """Run one phase: timed, observed, and with faults that have become typed errors.

    Raises:
        DockerSandboxError: the daemon refused or is gone; raised where its own error is out of reach.
        TimeoutError: the call's deadline passed in this phase.
    """
    problem: Exception | None = None
    label = Phase.service(service, name) if service else name
    try:
        with journal.step(label, service):
            scope.check()
            yield
    except SdkMissing:
        problem = DockerUnavailable(
            Phase.SDK, "the package 'docker' is not installed: run 'harnest env sync'"
        )
    except DaemonFault as fault:
        problem = _problem(fault.fault, label, name, service, scope)
    if problem is not None:
        raise problem


def _problem(fault: Fault, label: str, name: str, service: str, scope: SandboxControl) -> Exception:
    if fault is Fault.TIMEOUT and _over(scope):
        # Who takes the error as the deadline's sees that it has come.
        scope.constrain(0)
        return TimeoutError("the deadline of the sandbox execution has passed")
    advice = _ADVICE.get(fault)
    message = f"{fault.value}; {advice}" if advice else fault.value
    return _kind(fault, name, service)(label, message)


def _over(scope: SandboxControl) -> bool:
    """Return whether the deadline is what cut the request short: it may do so a moment too early."""
    remaining = scope.remaining()
    return remaining is not None and remaining <= CHECK_SECONDS


def _kind(fault: Fault, name: str, service: str) -> type[DockerSandboxError]:
    if name == Phase.CONNECTION or fault in _UNAVAILABLE:
        return DockerUnavailable
    if name in _IMAGE_PHASES or fault in _IMAGE_FAULTS:
        return DockerImageError
    if service:
        return DockerServiceError
    return DockerNetworkError if name == Phase.NETWORK else DockerStartError
