"""One living topology: its primary container, its services, and how programs run in it."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from harnest.sandbox.optional import OutputSink
from harnest.sandbox.scope import SandboxControl

from ..contracts.service import DockerService
from ..daemon.port import ContainerState, Daemon, DaemonFault
from ..errors import DockerProtocolError, Phase
from ..limits import KILL_GRACE_SECONDS, TIMEOUT_SECONDS_MAX
from .estate import Estate
from .logwatch import LogWatch
from .overtime import Overtime
from .primary import Primary, PrimaryLost, RunResult
from .program import Ending, Program
from .task import Task, TaskResult

_Result = TypeVar("_Result", RunResult, TaskResult)
_EVIDENCE_SECONDS = 2.0
_KILL_SECONDS = 0.2
_POLL_SECONDS = 0.02


@dataclass(slots=True, kw_only=True, eq=False)
class ServiceContainer:
    """One started service."""

    service: DockerService
    container: str
    log: LogWatch | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Topology:
    """Everything of one topology; *estate* says what must be removed.

    Attributes:
        container: id of the primary container.
        usable: whether programs may still run in it; once False, always False.
        used: monotonic time of its last use.
    """

    daemon: Daemon
    estate: Estate
    primary: Primary | None = None
    container: str = ""
    services: list[ServiceContainer] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    usable: bool = True
    used: float = field(default_factory=time.monotonic)

    def run(
        self, program: Program, scope: SandboxControl, on_output: OutputSink | None = None
    ) -> RunResult:
        """Run one program until the scope's deadline.

        The topology is not usable any more unless the program ended by itself.

        Raises:
            DockerProtocolError: PID 1 made no sense, or is gone without evidence of why.
            SandboxCancelledError: the scope was cancelled.
        """
        return self._carried_out(
            scope,
            lambda primary, seconds, overtime: primary.run(program, seconds, overtime, on_output),
        )

    def perform(self, task: Task, scope: SandboxControl) -> TaskResult:
        """Run one task of a workspace; as :meth:`run`."""
        return self._carried_out(
            scope, lambda primary, seconds, overtime: primary.perform(task, seconds, overtime)
        )

    def _carried_out(
        self, scope: SandboxControl, work: Callable[[Primary, float, Overtime], _Result]
    ) -> _Result:
        if self.primary is None or not self.usable:
            raise DockerProtocolError(Phase.EXECUTION, "the container cannot be used any more")
        self.usable = False
        scope.check()
        seconds = max(0.001, _seconds(scope))
        overtime = Overtime(scope, seconds)
        try:
            result = work(self.primary, seconds, overtime)
        except PrimaryLost:
            raise DockerProtocolError(Phase.EXECUTION, "the container ended by itself") from None
        if result.lost:
            self._explain(result, scope, overtime)
        elif overtime.late and result.ending.reason == "cancel":
            # PID 1 was told to stop, not why.
            result.ending = replace(result.ending, reason="deadline")
        self.usable = result.ending.clean
        self.used = time.monotonic()
        return result

    @property
    def alive(self) -> bool:
        """Whether the idle primary still listens."""
        return self.usable and self.primary is not None and self.primary.alive()

    def beat(self) -> None:
        """Tell the idle primary that the host lives; what cannot be told is not usable any more."""
        if self.primary is not None and not self.primary.beat():
            self.usable = False

    def keep(self) -> None:
        """Speak to a primary that waits for something else, if it heard nothing for a while."""
        if self.primary is not None and self.primary.due:
            self.beat()

    def ask(self, program: Program, seconds: float, scope: SandboxControl) -> bool:
        """Run a short program of our own in the primary container; return whether it succeeded.

        PID 1 ends it after *seconds*; a slow one may take until the scope's deadline to say so.
        """
        if self.primary is None:
            return False
        try:
            result = self.primary.run(program, seconds, Overtime(scope, _seconds(scope)))
        except PrimaryLost:
            result = None
        if result is None or result.lost:
            self.usable = False
            scope.check()
            raise DockerProtocolError(Phase.READINESS, "the primary container ended by itself")
        return result.ending.clean and not result.ending.exit_code and not result.ending.signal

    def _explain(
        self, result: RunResult | TaskResult, scope: SandboxControl, overtime: Overtime
    ) -> None:
        """Find out what a run without a last word came to, by the daemon's evidence."""
        overtime.look()
        if overtime.late:
            result.ending = Ending(reason="deadline")
            self.kill()
            return
        if result.broken:
            raise DockerProtocolError(Phase.EXECUTION, "the container's words make no sense")
        state = None
        with contextlib.suppress(DaemonFault):
            state = self.last_state(_seconds(scope) + KILL_GRACE_SECONDS)
        if state is None or not state.oom_killed:
            # A program cannot kill PID 1: an operator did, or the daemon when it started again.
            raise DockerProtocolError(Phase.EXECUTION, "the container ended without a last word")
        result.ending = Ending(gone=True, oom_kills=1)

    def last_state(self, seconds: float) -> ContainerState:
        """Return the primary's state once its end is known: its stream ends a little earlier."""
        until = time.monotonic() + min(seconds, _EVIDENCE_SECONDS)
        left = min(seconds, _EVIDENCE_SECONDS)
        while True:
            state = self.daemon.state(self.container, left)
            left = until - time.monotonic()
            if not state.running or left <= 0:
                return state
            time.sleep(min(left, _POLL_SECONDS))

    def kill(self) -> None:
        """End the primary container at once, by both ways there are."""
        if self.primary is not None:
            self.primary.close()
        with contextlib.suppress(DaemonFault):
            self.daemon.kill(self.container, _KILL_SECONDS)

    def release(self) -> None:
        """End all streams; the containers are removed by whoever buries the estate."""
        self.usable = False
        if self.primary is not None:
            self.primary.close()
        for service in self.services:
            if service.log is not None:
                service.log.close()


def _seconds(scope: SandboxControl) -> float:
    remaining = scope.remaining()
    return TIMEOUT_SECONDS_MAX if remaining is None else remaining
