"""Decide when a service can be used, and whether it still can."""

import time
from collections.abc import Iterator

from harnest.sandbox.scope import SandboxControl

from ..contracts.readiness import DockerReadiness
from ..daemon.port import ContainerState, Daemon, DaemonFault, Fault
from ..errors import DockerServiceError, Phase
from ..limits import CHECK_SECONDS, PROBE_SECONDS
from .problems import seconds_left
from .program import Program
from .topology import ServiceContainer, Topology

_HEALTHY = "healthy"
_UNHEALTHY = "unhealthy"
_PROBE_CODE = """\
import socket
socket.create_connection(({host!r}, {port}), {timeout}).close()
"""


class Readiness:
    """The readiness of one service in one topology."""

    def __init__(self, daemon: Daemon, topology: Topology, service: ServiceContainer) -> None:
        self._daemon = daemon
        self._topology = topology
        self._name = service.service.name
        self._declared = service.service.readiness
        self._service = service
        self._hanging = False

    def wait(self, scope: SandboxControl) -> None:
        """Wait until the service is ready: by Docker's health check or by our own faster probe.

        Raises:
            DockerServiceError: it ended, is unhealthy, or its patience is over.
            TimeoutError: the call's deadline passed.
        """
        if self._declared is None:
            self._state(scope)
            return
        for _ in self._attempts(self._declared, scope):
            state = self._state(scope)
            if state.health == _HEALTHY or self._probe(self._declared, scope):
                return
            if state.health == _UNHEALTHY:
                break
        raise self._error("was not ready after the declared attempts")

    def check(self, scope: SandboxControl) -> None:
        """Look once whether the service still runs and answers.

        Raises:
            DockerServiceError: it does not.
        """
        state = self._state(scope)
        if state.health == _UNHEALTHY:
            raise self._error("is unhealthy")
        if self._declared is not None and not self._probe(self._declared, scope):
            raise self._error("does not answer its readiness check any more")

    def _attempts(self, declared: DockerReadiness, scope: SandboxControl) -> Iterator[None]:
        """Yield until the declared patience is over, quickly at first."""
        until = time.monotonic() + declared.patience_seconds
        pause = min(PROBE_SECONDS, declared.interval_seconds)
        while True:
            scope.check()
            self._topology.keep()
            yield
            if time.monotonic() + pause > until:
                return
            _sleep(pause, scope)
            pause = min(pause * 1.5, max(declared.interval_seconds, PROBE_SECONDS))

    def _state(self, scope: SandboxControl) -> ContainerState:
        state = self._daemon.state(self._service.container, seconds_left(scope))
        if not state.running:
            cause = " for want of memory" if state.oom_killed else ""
            raise self._error(f"ended with exit code {state.exit_code}{cause}")
        return state

    def _probe(self, declared: DockerReadiness, scope: SandboxControl) -> bool:
        if declared.command:
            return self._command(declared, scope)
        if declared.tcp is not None:
            return self._connect(declared, declared.tcp, scope)
        return self._service.log is not None and self._service.log.seen

    def _command(self, declared: DockerReadiness, scope: SandboxControl) -> bool:
        if self._hanging:
            return False
        limit = seconds_left(scope, declared.timeout_seconds)
        try:
            return self._daemon.run_in(self._service.container, declared.command, limit) == 0
        except DaemonFault as fault:
            # The service may end between two looks: the next look tells.
            if fault.fault is Fault.UNREACHABLE:
                raise
            # A command that hangs cannot be ended from here, and is not started again beside itself:
            # from now on Docker's own health check alone decides.
            self._hanging = fault.fault is Fault.TIMEOUT
            return False

    def _connect(self, declared: DockerReadiness, port: int, scope: SandboxControl) -> bool:
        limit = seconds_left(scope, declared.timeout_seconds)
        code = _PROBE_CODE.format(host=self._name, port=port, timeout=limit)
        program = Program(code=code.encode(), output_bytes=64 * 1024)
        return self._topology.ask(program, limit, scope)

    def _error(self, what: str) -> DockerServiceError:
        return DockerServiceError(Phase.service(self._name, Phase.READINESS), f"the service {what}")


def _sleep(seconds: float, scope: SandboxControl) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        scope.check()
        time.sleep(min(left, CHECK_SECONDS))
