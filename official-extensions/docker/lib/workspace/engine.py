"""A workspace at work in Docker: each call in a container that nothing else runs in."""

import atexit
import os
import time
import weakref
from collections.abc import Callable

from harnest.execution import (
    EngineResult,
    ExecutionCall,
    Guarantee,
    WorkspaceClosedError,
    WorkspaceConfig,
)
from harnest.sandbox import control
from harnest.sandbox.errors import SandboxClosedError
from harnest.sandbox.scope import SandboxControl

from ..daemon.port import Daemon
from ..errors import DockerSandboxError, DockerStartError, Phase
from ..limits import BEATS_PER_LEASE, CLOSE_SECONDS, WORK_DIRECTORY, WORK_PROBE_SECONDS
from ..run.calls import Calls
from ..run.keeper import Keeper
from ..run.problems import phase
from ..run.site import Site
from ..run.task import Surroundings
from ..run.topology import Topology
from ..telemetry import Journal
from .guarantees import guarantees
from .lanes import Lanes
from .probe import Expected, probe_task
from .result import queued_too_long, result_of, task_of

_ENGINES: "weakref.WeakSet[DockerWorkspace]" = weakref.WeakSet()


class DockerWorkspace:
    """Runs the calls of one workspace.

    Args:
        config: the workspace's configuration.
        daemon: the daemon that its containers are made by.
        site: makes what making containers needs; it is called again in a forked child.
        surroundings: what every task finds.
        expected: what must hold in every container.
    """

    directory = WORK_DIRECTORY

    def __init__(
        self,
        config: WorkspaceConfig,
        daemon: Daemon,
        site: Callable[[], Site],
        surroundings: Surroundings,
        expected: Expected,
    ) -> None:
        self._config = config
        self._daemon = daemon
        self._make_site = site
        self._surroundings = surroundings
        self._expected = expected
        self._begin()
        _ENGINES.add(self)

    def _begin(self) -> None:
        site = self._make_site()
        self._calls = Calls()
        self._lanes = Lanes(site, self._check)
        self._keeper = Keeper(self._lanes.beat, site.lease / BEATS_PER_LEASE)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds: an engine of which something does not hold is not made."""
        return guarantees(self._config)

    def start(self, scope: SandboxControl) -> None:
        """Make the first container, so that what cannot be kept is known before any call.

        Raises:
            DockerSandboxError: it cannot be made, or something does not hold in it.
            TimeoutError: it was not made in time.
        """
        self._lanes.keep(self._lanes.made(scope, Journal()))
        self._keeper.start()

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry out a call.

        Raises:
            DockerSandboxError: Docker could not do its part.
            SandboxCancelledError: nobody wants it any more; nothing of it is left.
            WorkspaceClosedError: the workspace is closed.
        """
        started = time.monotonic()
        try:
            with control.execute(call.timeout_seconds) as scope, self._calls.running(scope):
                return self._run(call, scope, started)
        except SandboxClosedError:
            closed = WorkspaceClosedError("the workspace is closed")
        except DockerSandboxError as error:
            # Python chained what was in flight below: the SDK's own errors, which say too much.
            error.__context__ = None
            raise
        raise closed

    def close(self) -> None:
        """Let no call begin, end those that run, and remove every container.

        Raises:
            DockerCleanupError: something could not be removed; call again.
        """
        self._calls.shut(CLOSE_SECONDS)
        self._keeper.end()
        self._lanes.close()
        self._daemon.close()

    def disown(self) -> None:
        """Forget every container in a forked child: they belong to the parent."""
        self._begin()

    def _run(self, call: ExecutionCall, scope: SandboxControl, started: float) -> EngineResult:
        journal = Journal()
        task = task_of(call, self._surroundings, self._config.max_output_bytes)
        try:
            with self._lanes.lent(scope, journal) as topology:
                journal.topology = topology.estate.topology
                with phase(journal, scope, Phase.EXECUTION):
                    result = topology.perform(task, scope)
        except TimeoutError:
            if scope.remaining() != 0:
                raise
            return queued_too_long(time.monotonic() - started)
        journal.answered(result.ending.status.value)
        self._keeper.start()
        return result_of(result, time.monotonic() - started)

    def _check(self, topology: Topology, scope: SandboxControl) -> None:
        scope.check()
        with control.execute(WORK_PROBE_SECONDS) as probing:
            result = topology.perform(probe_task(self._surroundings), probing)
        broken = self._expected.broken(result)
        if broken:
            # A probe that the end of the call cut off says nothing of the daemon.
            scope.check()
            raise DockerStartError(
                Phase.VERIFICATION, f"this daemon or image does not give {', '.join(broken)}"
            )


def _close_all() -> None:
    for engine in list(_ENGINES):
        engine.close()


def _disown_all() -> None:
    for engine in list(_ENGINES):
        engine.disown()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_disown_all)
