"""One declaration at work: who is asked, in which order calls come, and what they come to."""

import atexit
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from harnest.sandbox import SandboxRequest, SandboxResult, control
from harnest.sandbox.optional import OutputSink

from .contracts.config import DockerSandboxConfig
from .daemon.port import Daemon
from .errors import DockerSandboxError, Phase
from .limits import CALLS_PER_CPU, CLOSE_SECONDS
from .run.call import Call, InvalidProgram, program_of, refused, result_of, timed_out
from .run.calls import Calls
from .run.gate import Gate
from .run.household import Household
from .run.primary import RunResult
from .run.retention import identity_of
from .telemetry import Journal

_ENGINES: "weakref.WeakSet[Engine]" = weakref.WeakSet()


class Engine:
    """Runs the programs of one declaration."""

    def __init__(self, config: DockerSandboxConfig, daemon: Daemon) -> None:
        self._config = config
        self._daemon = daemon
        self._begin()
        _ENGINES.add(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._calls = Calls()
        self._gate = Gate(self._config.max_concurrency or CALLS_PER_CPU * (os.cpu_count() or 1))
        self._household: Household | None = None

    def execute(self, request: SandboxRequest, on_output: OutputSink | None) -> SandboxResult:
        """Run one program; see :class:`DockerSandboxProvider`."""
        identity = identity_of(self._config.scope, request.context)
        try:
            program = program_of(request, self._config)
        except InvalidProgram as error:
            return refused(error)
        journal = Journal()
        with control.execute(self._seconds(request)) as scope, self._calls.running(scope):
            call = Call(
                identity=identity,
                program=program,
                scope=scope,
                journal=journal,
                on_output=on_output,
            )
            try:
                result = result_of(self._run(call), journal)
            except TimeoutError:
                if scope.remaining() != 0:
                    raise
                result = timed_out(journal)
            except DockerSandboxError as error:
                # Python chained what was in flight below: the SDK's own errors, which say too much.
                error.__context__ = None
                raise
        self.household.answered()
        journal.answered(result.status)
        return result

    @property
    def household(self) -> Household:
        """What this declaration has; made with the first call, so that declaring contacts nothing.

        Raises:
            DockerSandboxError: the operator's settings make no sense.
        """
        with self._lock:
            if self._household is None:
                self._household = Household(self._config, self._daemon, self._calls)
            return self._household

    def close(self) -> None:
        """Let no call begin, wait for those that run within a bound, and remove everything.

        Raises:
            DockerCleanupError: something could not be removed; call again.
        """
        self._calls.shut(CLOSE_SECONDS)
        with self._lock:
            household = self._household
        if household is not None:
            household.close()

    def disown(self) -> None:
        """Forget everything in a forked child: it belongs to the parent."""
        self._begin()

    def _seconds(self, request: SandboxRequest) -> int:
        declared = self._config.timeout_seconds
        return min(declared, request.timeout_seconds or declared)

    def _run(self, call: Call) -> RunResult:
        household = self.household
        if not call.identity:
            with self._place(call):
                return household.run_once(call)
        # An identity's own queue comes first: its calls must not fill the places of others.
        with household.retention.lent(call) as slot, self._place(call):
            return household.run_retained(slot, call)

    @contextmanager
    def _place(self, call: Call) -> Iterator[None]:
        with call.journal.step(Phase.QUEUE):
            self._gate.wait(call.scope)
        with self._gate.inside():
            yield


def _close_all() -> None:
    for engine in list(_ENGINES):
        engine.close()


def _disown_all() -> None:
    for engine in list(_ENGINES):
        engine.disown()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_disown_all)
