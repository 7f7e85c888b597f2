"""The sandbox contract, carried out by processes of this host."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING

from harnest.execution.local import LocalProgramError, ProgramBounds
from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxPolicyUnsupportedError,
    SandboxProviderCapabilities,
    control,
)

from . import limits, outcome
from .diagnosis import diagnose
from .errors import ProcessSandboxError
from .files import checked_inputs
from .inventory import inventory, prune
from .job import Job
from .network import isolation_objection
from .scopes import Scopes, identity_of
from .source import refusal_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest.sandbox import SandboxNetworkPolicy, SandboxRequest, SandboxResult
    from harnest.sandbox.optional import (
        OutputSink,
        SandboxDiagnosis,
        SandboxPruneReport,
        SandboxResource,
    )
    from harnest.sandbox.scope import SandboxControl

    from .settings import ProcessSettings

__all__ = ["ProcessSandboxProvider"]


class ProcessSandboxProvider:
    """Runs each program in a process of its own on this host. No security boundary.

    Executions run in parallel; those of one retained identity come one by one.

    Args:
        settings: The declaration.

    Attributes:
        sandbox_capabilities: Unrestricted network; no network as well if the declaration asks for
            it and trying it showed that it holds on this host.

    Raises:
        ProcessSandboxError: The host is no POSIX system.
    """

    def __init__(self, settings: ProcessSettings) -> None:
        if os.name != "posix":
            raise ProcessSandboxError(
                "The process extension needs a POSIX system; use the docker extension here.",
                phase="configuration",
            )
        self._settings = settings
        self._bound = _bounds(settings)
        self._scopes = Scopes(settings.max_scopes)
        self._guard = threading.Condition()
        self._running: set[SandboxControl] = set()
        self._closed = False
        self.sandbox_capabilities = SandboxProviderCapabilities(network_modes=_modes(settings))

    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run a program and return its outcome and output.

        Raises:
            ProcessSandboxError: It could not be carried out; the message names the phase.
            SandboxCancelledError: The call was cancelled, or the provider closed.
            SandboxPolicyUnsupportedError: The request's policy can't be enforced or is wider than
                the declaration's.
            ValueError: The scope needs an identity that the request lacks.
        """
        return self._execute(request, None)

    def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> SandboxResult:
        """Run as :meth:`execute` does, handing on output while the program runs."""
        return self._execute(request, on_output)

    def inventory(self) -> tuple[SandboxResource, ...]:
        """Return the work directories of this user's processes, our own included."""
        return inventory()

    def prune(self) -> SandboxPruneReport:
        """Remove the work directories whose owners are gone."""
        return prune()

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return diagnose(self._settings.python)

    def close(self) -> None:
        """End what still runs and remove every work directory; may be called again.

        Raises:
            TimeoutError: Executions did not end in time; close again later.
        """
        with self._guard:
            self._closed = True
            for scope in self._running:
                scope.cancelled.set()
            if not self._guard.wait_for(lambda: not self._running, limits.CLOSE_SECONDS):
                raise TimeoutError("executions of the process sandbox did not end in time")
        self._scopes.close()

    def _execute(self, request: SandboxRequest, sink: OutputSink | None) -> SandboxResult:
        isolate = self._isolates(request.network_policy)
        key = identity_of(request.context, self._settings.scope)
        refusal = refusal_of(request.code)
        if refusal:
            return outcome.invalid_code(refusal)
        inputs = checked_inputs(request.input_files)
        seconds = min(self._settings.timeout_seconds, request.timeout_seconds or limits.FOREVER)
        start = time.monotonic()
        with self._admitted(seconds) as scope:
            try:
                with self._scopes.directory(key, scope) as work:
                    queued = round((time.monotonic() - start) * 1000, 3)
                    job = Job(
                        settings=self._settings,
                        bound=self._bound,
                        code=request.code,
                        inputs=inputs,
                        isolate_network=isolate,
                    )
                    return job.run(work, scope, sink, queued_ms=queued)
            except TimeoutError:
                queued = round((time.monotonic() - start) * 1000, 3)
                return outcome.timed_out("queue", {"queue": queued})

    @contextlib.contextmanager
    def _admitted(self, seconds: int) -> Iterator[SandboxControl]:
        with control.execute(seconds) as scope:
            with self._guard:
                if self._closed:
                    raise ProcessSandboxError("The sandbox is closed.", phase="configuration")
                self._running.add(scope)
            try:
                yield scope
            finally:
                with self._guard:
                    self._running.discard(scope)
                    self._guard.notify_all()

    def _isolates(self, policy: SandboxNetworkPolicy | None) -> bool:
        declared = self._settings.network_policy
        if policy is None:
            policy = declared
        if policy is None:
            return False
        self.sandbox_capabilities.require(policy)
        none = SandboxNetworkMode.NONE
        if declared is not None and declared.mode is none and policy.mode is not none:
            raise SandboxPolicyUnsupportedError("the declaration allows no network at all")
        return policy.mode is none


def _bounds(settings: ProcessSettings) -> ProgramBounds:
    try:
        return ProgramBounds(processes=settings.limits.processes)
    except LocalProgramError as error:
        raise ProcessSandboxError(error.reason, phase=error.phase) from None


def _modes(settings: ProcessSettings) -> frozenset[SandboxNetworkMode]:
    modes = {SandboxNetworkMode.UNRESTRICTED}
    policy = settings.network_policy
    if policy is not None and policy.mode is SandboxNetworkMode.NONE:
        objection = isolation_objection(settings.python)
        if objection:
            raise SandboxPolicyUnsupportedError(
                f"programs can't be kept from the network on this host: {objection}; use the "
                "docker extension, or declare SandboxNetworkPolicy.unrestricted()"
            )
        modes.add(SandboxNetworkMode.NONE)
    return frozenset(modes)
