"""The managed execution of one declared sandbox.

:class:`ManagedSandbox` stands between a caller that may not see a provider's secrets and a provider
that is third-party code::

    managed = ManagedSandbox(declaration)
    request = managed.request("print(40 * 10)")     # deadline, policy, metadata of the declaration
    result = managed.execute(request)               # or await managed.aexecute(request)
    result = managed.execute_streaming(request, on_output)
    managed.close()                                 # or await managed.aclose(); repeat on failure

- The provider is built with the first execution; executions run in parallel.
- The identity is that of :func:`harnest.sandbox.authority.current_authority`; when the runtime
  revokes it, executions end with SandboxCancelledError.
- A time-out is always a result with status ``timed_out`` and ``metadata["phase"]``.
- Errors are those of :mod:`harnest.sandbox.outcome`: the provider's own is not reachable.
- ``inventory``, ``prune`` and ``diagnose`` return None where the provider does not offer them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from harnest.sandbox import limits
from harnest.sandbox.admission import Admission
from harnest.sandbox.audit import AuditEntry
from harnest.sandbox.authority import current_authority
from harnest.sandbox.closing import Closing, aclose_provider
from harnest.sandbox.context import SandboxContext
from harnest.sandbox.errors import SandboxCancelledError, SandboxExecutionError
from harnest.sandbox.file import SandboxFile
from harnest.sandbox.foreign import AdkOnlyError, is_adk_executor
from harnest.sandbox.optional import (
    OutputSink,
    SandboxAsyncProvider,
    SandboxDiagnosingProvider,
    SandboxDiagnosis,
    SandboxInventoryProvider,
    SandboxPruneReport,
    SandboxPruningProvider,
    SandboxResource,
)
from harnest.sandbox.outcome import EXECUTION, START, safe_error, safe_outcome, settled
from harnest.sandbox.request import SandboxRequest
from harnest.sandbox.result import SandboxResult
from harnest.sandbox.scope import SandboxControl
from harnest.sandbox.streaming import GuardedSink
from harnest.sandbox.worker import awaited, started

if TYPE_CHECKING:
    # The declaration's adapters are built on this module.
    from harnest.sandbox.declaration import Sandbox

__all__ = ["ManagedSandbox"]

_T = TypeVar("_T")
_Work: TypeAlias = Callable[[Any, SandboxControl], SandboxResult]


class ManagedSandbox:
    """One provider behind one declaration, shared by any number of threads and tasks.

    Args:
        declaration: What to build and under which bounds to use it.
        provider: The declaration's provider if it was built already; this object closes it.
    """

    def __init__(self, declaration: Sandbox, *, provider: object | None = None) -> None:
        self.declaration = declaration
        self._admission = Admission()
        self._building = threading.Lock()
        self._closing = Closing()
        self._provider: Any = provider

    def request(
        self,
        code: str,
        *,
        input_files: Sequence[SandboxFile] = (),
        timeout_seconds: int | None = None,
        execution_id: str | None = None,
        context: SandboxContext | None = None,
    ) -> SandboxRequest:
        """Return a request under the bounds of the declaration.

        Args:
            code: Python source, not blank.
            input_files: Files for the program.
            timeout_seconds: A deadline in whole seconds that may only shorten the declared one.
            execution_id: Identity of a stateful conversation with an interpreter, if any.
            context: Identity to use outside of any invocation; inside, the invocation's counts.

        Raises:
            ValueError: A value is out of bounds, see :class:`SandboxRequest`.
            TypeError: A value has a wrong type.
        """
        authority = current_authority()
        return SandboxRequest(
            code=code,
            timeout_seconds=self._timeout(timeout_seconds),
            context=(context or SandboxContext()) if authority is None else authority.context,
            input_files=tuple(input_files),
            execution_id=execution_id,
            metadata=self.declaration.metadata,
            network_policy=self.declaration.network_policy,
        )

    def execute(self, request: SandboxRequest, *, trigger: str = "agent") -> SandboxResult:
        """Run a request in this thread.

        Args:
            request: Made by :meth:`request`.
            trigger: Who asked, for the audit record: ``agent`` or ``user``.

        Returns:
            What came of it; a failing or late program is a result.

        Raises:
            SandboxCancelledError: The call was cancelled or its invocation is over.
            SandboxClosedError: This object is closed.
            SandboxExecutionError: The provider failed.
            SandboxInputFilesUnsupportedError: It takes no input files.
            SandboxPolicyUnsupportedError: It does not enforce the declared policy.
            TypeError: The factory makes a google-adk executor: ADK only.
        """
        entry = self._entry("execute", trigger)
        return self._managed(entry, request, lambda provider, _: provider.execute(request))

    def execute_streaming(
        self, request: SandboxRequest, on_output: OutputSink, *, trigger: str = "agent"
    ) -> SandboxResult:
        """Run a request and hand on its output as it comes, or at the end if it can't stream.

        Args:
            request: Made by :meth:`request`.
            on_output: Where the output goes; if it raises, the execution ends.
            trigger: Who asked, for the audit record: ``agent`` or ``user``.

        Raises:
            Exception: What ``on_output`` raised, or as :meth:`execute`.
        """
        sink = GuardedSink(on_output)
        entry = self._entry("execute_streaming", trigger)
        try:
            result = self._managed(
                entry, request, lambda provider, scope: sink.run(provider, request, scope)
            )
        except (SandboxCancelledError, SandboxExecutionError):
            if sink.error is None:
                raise
        if sink.error is not None:
            raise sink.error
        return result

    async def aexecute(self, request: SandboxRequest, *, trigger: str = "agent") -> SandboxResult:
        """Run a request without blocking the event loop; cancelling the task cancels it.

        A cancelled task ends when the provider has released what it held, at most
        :data:`~harnest.sandbox.limits.CANCEL_WAIT_SECONDS` later.

        Args:
            request: Made by :meth:`request`.
            trigger: Who asked, for the audit record: ``agent`` or ``user``.

        Raises:
            Exception: As :meth:`execute`.
        """
        entry = self._entry("aexecute", trigger)
        phase = START
        outcome: SandboxResult | BaseException
        try:
            with self._admission.admitted(request.timeout_seconds) as scope:
                provider = await self._abuilt(scope)
                phase = EXECUTION
                outcome = settled(await _executed(provider, request, scope))
                scope.check_wanted()
        except BaseException as error:  # noqa: BLE001 - third-party code; its error must not leave
            outcome = safe_outcome(error, phase)
        return _closed(entry, outcome)

    def inventory(self) -> tuple[SandboxResource, ...] | None:
        """Return what the provider keeps outside of this process; None if it doesn't offer it.

        Raises:
            SandboxExecutionError: The provider failed.
        """
        return self._offered(
            lambda provider: (
                tuple(provider.inventory())
                if isinstance(provider, SandboxInventoryProvider)
                else None
            )
        )

    def prune(self) -> SandboxPruneReport | None:
        """Let the provider remove what dead owners left; None if it doesn't offer it.

        Raises:
            SandboxExecutionError: The provider failed.
        """
        return self._offered(
            lambda provider: (
                provider.prune() if isinstance(provider, SandboxPruningProvider) else None
            )
        )

    def diagnose(self) -> tuple[SandboxDiagnosis, ...] | None:
        """Return what the provider really enforces here; None if it doesn't offer it.

        Raises:
            SandboxExecutionError: The provider failed.
        """
        return self._offered(
            lambda provider: (
                tuple(provider.diagnose())
                if isinstance(provider, SandboxDiagnosingProvider)
                else None
            )
        )

    def close(self) -> None:
        """Admit nothing more, wait for what runs, then close the provider. Repeatable.

        Each wait lasts at most :data:`~harnest.sandbox.limits.CLOSE_WAIT_SECONDS`; executions that
        take longer are cancelled.

        Raises:
            SandboxExecutionError: The provider's own close failed; it is kept, so call again.
        """
        self._admission.shut(limits.CLOSE_WAIT_SECONDS)
        if self._provider is not None:
            self._closing.close(self._provider)
            self._provider = None

    async def aclose(self) -> None:
        """Close as :meth:`close` does, without blocking the event loop.

        Raises:
            SandboxExecutionError: The provider's own close failed; it is kept, so call again.
        """
        await asyncio.wrap_future(started(lambda: self._admission.shut(limits.CLOSE_WAIT_SECONDS)))
        if hasattr(self._provider, "aclose"):
            await aclose_provider(self._provider)
            self._provider = None
        else:
            await asyncio.wrap_future(started(self.close))

    def _entry(self, operation: str, trigger: str) -> AuditEntry:
        return AuditEntry(operation=operation, trigger=trigger, provider=self.declaration.backend)

    def _managed(self, entry: AuditEntry, request: SandboxRequest, work: _Work) -> SandboxResult:
        phase = START
        outcome: SandboxResult | BaseException
        try:
            with self._admission.admitted(request.timeout_seconds) as scope:
                provider = self._built(scope)
                phase = EXECUTION
                outcome = settled(work(provider, scope))
                scope.check_wanted()
        except BaseException as error:  # noqa: BLE001 - third-party code; its error must not leave
            outcome = safe_outcome(error, phase)
        return _closed(entry, outcome)

    def _offered(self, ask: Callable[[Any], _T | None]) -> _T | None:
        answer: _T | None = None
        failure: BaseException | None = None
        try:
            with self._admission.admitted(None) as scope:
                answer = ask(self._built(scope))
        except BaseException as error:  # noqa: BLE001 - third-party code; its error must not leave
            failure = safe_error(error)
        if failure is not None:
            raise failure
        return answer

    def _built(self, scope: SandboxControl) -> Any:
        scope.check()
        if self._provider is None:
            with scope.acquire(self._building):
                if self._provider is None:
                    self._provider = self.declaration.build()
            scope.check()
        if is_adk_executor(self._provider):
            raise AdkOnlyError
        return self._provider

    async def _abuilt(self, scope: SandboxControl) -> Any:
        if self._provider is None:
            return await awaited(lambda: self._built(scope), scope)
        return self._built(scope)

    def _timeout(self, shorter: int | None) -> int | None:
        declared = self.declaration.timeout_seconds
        if shorter is None or declared is None:
            return declared if shorter is None else shorter
        return min(declared, shorter)


async def _executed(provider: Any, request: SandboxRequest, scope: SandboxControl) -> object:
    if not isinstance(provider, SandboxAsyncProvider):
        return await awaited(lambda: provider.execute(request), scope)
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    result = await provider.aexecute(request)
    if task and task.cancelling() > before:
        # The provider has told its end as a result; the caller's cancellation stays one.
        raise asyncio.CancelledError
    return result


def _closed(entry: AuditEntry, outcome: SandboxResult | BaseException) -> SandboxResult:
    entry.close(outcome)
    if not isinstance(outcome, BaseException):
        return outcome
    try:
        raise outcome
    finally:
        del outcome  # its traceback holds this frame: without the cycle it is freed at once
