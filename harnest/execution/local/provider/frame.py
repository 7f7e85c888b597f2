"""The sandbox contract, carried out by local processes as an extension's tier starts them."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from harnest.execution.handover import checked_inputs, refusal_of
from harnest.execution.local.errors import LocalProgramError
from harnest.execution.local.provider import inventory, limits, outcome
from harnest.execution.local.provider.job import Job
from harnest.execution.local.provider.scopes import Scopes, identity_of
from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxPolicyUnsupportedError,
    SandboxProviderCapabilities,
    control,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest.execution.local.provider.settings import LocalSettings
    from harnest.execution.local.provider.tier import LocalTier
    from harnest.sandbox import SandboxNetworkPolicy, SandboxRequest, SandboxResult
    from harnest.sandbox.optional import (
        OutputSink,
        SandboxDiagnosis,
        SandboxPruneReport,
        SandboxResource,
    )
    from harnest.sandbox.scope import SandboxControl

__all__ = ["LocalProvider"]


class LocalProvider:
    """Runs each program in a process of its own.

    Executions run in parallel; those of one retained identity come one by one.

    Args:
        settings: The declaration.
        tier: How its programs are started.

    Attributes:
        sandbox_capabilities: What the tier enforces for this declaration.
    """

    def __init__(self, settings: LocalSettings, tier: LocalTier) -> None:
        self._settings = settings
        self._tier = tier
        self._scopes = Scopes(settings.max_scopes, tier.prefix)
        self._guard = threading.Condition()
        self._running: set[SandboxControl] = set()
        self._closed = False
        self.sandbox_capabilities = SandboxProviderCapabilities(network_modes=tier.network_modes)

    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run a program and return its outcome and output.

        Raises:
            SandboxCancelledError: The call was cancelled, or the provider closed.
            SandboxExecutionError: It could not be carried out; the message names the phase.
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
        return inventory.inventory(self._tier.prefix)

    def prune(self) -> SandboxPruneReport:
        """Remove the work directories whose owners are gone."""
        return inventory.prune(self._tier.prefix)

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return self._tier.diagnose()

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
                raise TimeoutError(
                    f"executions of the {self._tier.name} sandbox did not end in time"
                )
        self._scopes.close()

    def _execute(self, request: SandboxRequest, sink: OutputSink | None) -> SandboxResult:
        network = self._has_network(request.network_policy)
        key = identity_of(request.context, self._settings.scope)
        refusal = refusal_of(request.code)
        if refusal:
            return outcome.invalid_code(self._tier.name, refusal)
        try:
            return self._carried_out(request, key, sink, network=network)
        except LocalProgramError as error:
            failure = self._tier.error(error.reason, phase=error.phase)
        raise failure

    def _carried_out(
        self,
        request: SandboxRequest,
        key: tuple[str, ...],
        sink: OutputSink | None,
        *,
        network: bool,
    ) -> SandboxResult:
        inputs = _inputs(request)
        seconds = min(self._settings.timeout_seconds, request.timeout_seconds or limits.FOREVER)
        start = time.monotonic()
        with self._admitted(seconds) as scope:
            try:
                with self._scopes.directory(key, scope) as work:
                    job = Job(
                        tier=self._tier,
                        code=request.code,
                        inputs=inputs,
                        network=network,
                        output_bytes=self._settings.max_output_bytes,
                    )
                    return job.run(work, scope, sink, queued_ms=_passed_ms(start))
            except TimeoutError:
                return outcome.timed_out(self._tier.name, "queue", {"queue": _passed_ms(start)})

    @contextlib.contextmanager
    def _admitted(self, seconds: int) -> Iterator[SandboxControl]:
        with control.execute(seconds) as scope:
            with self._guard:
                if self._closed:
                    raise LocalProgramError("The sandbox is closed.", phase="configuration")
                self._running.add(scope)
            try:
                yield scope
            finally:
                with self._guard:
                    self._running.discard(scope)
                    self._guard.notify_all()

    def _has_network(self, policy: SandboxNetworkPolicy | None) -> bool:
        declared = self._settings.network_policy
        if policy is None:
            policy = declared
        if policy is None:
            return self._tier.network_by_default
        self.sandbox_capabilities.require(policy)
        none = SandboxNetworkMode.NONE
        if declared is not None and declared.mode is none and policy.mode is not none:
            raise SandboxPolicyUnsupportedError("the declaration allows no network at all")
        return policy.mode is not none


def _inputs(request: SandboxRequest) -> dict[str, bytes]:
    try:
        return checked_inputs(request.input_files)
    except ValueError as error:
        raise LocalProgramError(str(error), phase="input files") from None


def _passed_ms(start: float) -> float:
    return round((time.monotonic() - start) * 1000, 3)
