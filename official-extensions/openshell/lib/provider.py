"""The sandbox contract, carried out in sandboxes of an OpenShell gateway."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harnest.execution import BackendError
from harnest.execution.handover import checked_inputs, refusal_of
from harnest.execution.local import Capture
from harnest.sandbox import SandboxResult, SandboxStatus, control
from harnest.sandbox.optional import OutputStream

from . import limits
from .declared import DeclaredSettings, OpenShellScope, identity_of
from .denials import of_output
from .errors import OpenShellSandboxError
from .files import Outputs, collect, put
from .household import Household, Member
from .operations import diagnose, inventory, prune
from .remote import scripts
from .remote.run import Command, Ended, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnest.sandbox import SandboxRequest
    from harnest.sandbox.optional import (
        OutputSink,
        SandboxDiagnosis,
        SandboxPruneReport,
        SandboxResource,
    )
    from harnest.sandbox.scope import SandboxControl

    from .gateway.port import Gateway
    from .remote.box import Box

__all__ = ["OpenShellSandboxProvider"]

_OUTPUTS = "outputs"


@dataclass(slots=True, kw_only=True)
class _Call:
    """One execution on its way: where it is, and how long each part took."""

    inputs: dict[str, bytes] = field(repr=False)
    code: bytes = field(repr=False)
    capture: Capture = field(repr=False)
    phase: str = "sandbox"
    durations: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def during(self, phase: str) -> Iterator[None]:
        """Be in a phase and measure it."""
        self.phase = phase
        begin = time.monotonic()
        try:
            yield
        finally:
            self.durations[phase] = round((time.monotonic() - begin) * 1000, 3)


class OpenShellSandboxProvider:
    """Runs each program in a sandbox of its caller's identity.

    Args:
        settings: The declaration.
        connect: Makes the connection to the gateway.

    Attributes:
        sandbox_capabilities: What the policy that is sent enforces.

    Raises:
        ExecutionError: Sandboxes were to be made in advance, and one could not be.
    """

    def __init__(self, settings: DeclaredSettings, connect: Callable[[], Gateway]) -> None:
        self._settings = settings
        self._connect = connect
        self._guard = threading.Condition()
        self._running: set[SandboxControl] = set()
        self._closed = False
        self._gateway: Gateway | None = None
        self._household: Household | None = None
        self.sandbox_capabilities = settings.capabilities
        if settings.ready:
            try:
                self._home().make_ready(settings.ready)
            except BaseException:
                self.close()
                raise

    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run a program and return its outcome and output.

        Raises:
            OpenShellSandboxError: It could not be carried out; the message names the phase.
            SandboxCancelledError: The call was cancelled, or the provider closed.
            SandboxPolicyUnsupportedError: The request's policy is not the declaration's.
            ValueError: The scope needs an identity that the request lacks.
        """
        return self._execute(request, None)

    def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> SandboxResult:
        """Run as :meth:`execute` does, handing on output while the program runs."""
        return self._execute(request, on_output)

    def inventory(self) -> tuple[SandboxResource, ...]:
        """Return every sandbox of the workspace that was made by Harnest."""
        return inventory(self._connection())

    def prune(self) -> SandboxPruneReport:
        """Delete the sandboxes whose makers, processes of this host, are gone."""
        return prune(self._connection())

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what was found out about the gateway."""
        return diagnose(self._connection, self._settings.sandbox.policy)

    def close(self) -> None:
        """End what still runs and delete every sandbox; may be called again.

        Raises:
            BackendError: A sandbox could not be deleted; close again.
            TimeoutError: Executions did not end in time; close again.
        """
        with self._guard:
            self._closed = True
            for scope in self._running:
                scope.cancelled.set()
            if not self._guard.wait_for(lambda: not self._running, limits.CLOSE_SECONDS):
                raise TimeoutError("executions of the sandbox did not end in time")
        if self._household is not None:
            self._household.close()
        if self._gateway is not None:
            self._gateway.close()
            self._gateway = self._household = None

    def _execute(self, request: SandboxRequest, sink: OutputSink | None) -> SandboxResult:
        self._settings.require(request.network_policy)
        key = identity_of(request.context, self._settings.scope)
        refusal = refusal_of(request.code)
        if refusal:
            return _result(
                "configuration", SandboxStatus.FAILED, "invalid_code", stderr=f"{refusal}\n"
            )
        call = _Call(
            inputs=_inputs(request),
            code=request.code.encode(),
            capture=Capture(self._settings.max_output_bytes, sink),
        )
        seconds = self._settings.timeout_seconds
        if request.timeout_seconds is not None:
            seconds = min(seconds, request.timeout_seconds)
        try:
            with self._admitted(seconds) as scope, self._home().member(key) as member:
                return self._in_member(call, member, scope)
        except TimeoutError:
            return _result(call.phase, SandboxStatus.TIMED_OUT, "deadline", call.durations)
        except BackendError as error:
            failure = OpenShellSandboxError(f"{type(error).__name__}: {error}", phase=call.phase)
        raise failure

    def _in_member(self, call: _Call, member: Member, scope: SandboxControl) -> SandboxResult:
        kept = self._settings.scope is not OpenShellScope.EXECUTION
        with contextlib.ExitStack() as stack:
            with call.during("sandbox"):
                stack.enter_context(scope.acquire(member.lock))
                box = self._home().session(member, scope).box
                if not kept:  # only its making is one call's alone
                    stack.close()
            name = "kept" if kept else secrets.token_hex(12)
            work = f"{self._settings.sandbox.work}/{name}"
            before = member.outputs if kept else {}
            left = not kept
            try:
                ended = self._run(call, box, work, scope)
                with call.during("output files"):
                    folder, discard = f"{work}/{_OUTPUTS}", "" if kept else work
                    outputs = collect(box, folder, before, discard)
                left = left and bool(outputs.entries)
            finally:
                if left:  # a request of its own, only where the one before could not do it
                    box.helper(scripts.DISCARD, work)
            if kept:
                member.outputs = dict(outputs.entries)
        return self._judged(call, ended, outputs)

    def _run(self, call: _Call, box: Box, work: str, scope: SandboxControl) -> Ended:
        with call.during("input files"):
            scope.check()
            put(box, work, call.inputs, scope.check)
        with call.during("execution"):
            command = Command(
                arguments=(self._settings.python, "-c", scripts.BOOTSTRAP),
                stdin=call.code,
                directory=work,
                environment={"LANG": "C.UTF-8", "HOME": work, "TMPDIR": work},
            )
            ended = run(box, command, call.capture, scope)
            call.capture.close()
        return ended

    def _judged(self, call: _Call, ended: Ended, outputs: Outputs) -> SandboxResult:
        capture = call.capture
        if capture.overflowed:
            status, reason = SandboxStatus.OUTPUT_LIMIT_EXCEEDED, "output_limit"
        elif ended.timed_out:
            status, reason = SandboxStatus.TIMED_OUT, "deadline"
        else:
            ok = ended.exit_code == 0
            status, reason = (SandboxStatus.SUCCEEDED if ok else SandboxStatus.FAILED), ""
        details: dict[str, Any] = {"truncated": capture.truncated()}
        denials = of_output(capture.data(OutputStream.STDOUT), capture.data(OutputStream.STDERR))
        if denials:
            details["denials"] = list(denials)
        if outputs.omitted:
            details["output_files_omitted"] = outputs.omitted
        return _result(
            "execution",
            status,
            reason,
            call.durations,
            stdout=capture.text(OutputStream.STDOUT),
            stderr=capture.text(OutputStream.STDERR),
            output_files=outputs.files,
            exit_code=None if reason else ended.exit_code,
            details=details,
        )

    @contextlib.contextmanager
    def _admitted(self, seconds: int) -> Iterator[SandboxControl]:
        with control.execute(seconds) as scope:
            scope.check()
            with self._guard:
                if self._closed:
                    raise OpenShellSandboxError("The sandbox is closed.", phase="configuration")
                self._running.add(scope)
            try:
                yield scope
            finally:
                with self._guard:
                    self._running.discard(scope)
                    self._guard.notify_all()

    def _connection(self) -> Gateway:
        with self._guard:
            if self._gateway is None:
                self._gateway = self._connect()
            return self._gateway

    def _home(self) -> Household:
        gateway = self._connection()
        with self._guard:
            if self._household is None:
                self._household = Household(self._settings, gateway)
            return self._household


def _inputs(request: SandboxRequest) -> dict[str, bytes]:
    try:
        return checked_inputs(request.input_files)
    except ValueError as error:
        raise OpenShellSandboxError(str(error), phase="input files") from None


def _result(
    phase: str,
    status: SandboxStatus,
    reason: str,
    durations: dict[str, float] | None = None,
    *,
    details: dict[str, Any] | None = None,
    **parts: Any,
) -> SandboxResult:
    metadata: dict[str, Any] = {
        "provider": "openshell",
        "phase": phase,
        "duration_ms": dict(durations or {}),
        "truncated": {},
        **(details or {}),
    }
    if reason:
        metadata["reason"] = reason
    return SandboxResult(status=status, metadata=metadata, **parts)
