"""Telling whoever observes a backend of each of its calls, however it ends."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Literal, TypeAlias

from harnest.execution.hooks import HookEvent, SandboxExecData

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

    from harnest.execution.backend import DescribedBackend
    from harnest.execution.result import ExecutionResult

__all__ = ["Kind", "Observation", "observed"]

Kind: TypeAlias = Literal["execute", "execute_command"]
"""Which of a backend's methods was called."""


class Observation:
    """One call, from the moment in which its method was entered."""

    def __init__(self) -> None:
        self._begun: float | None = None
        self._result: ExecutionResult | None = None

    async def of(self, work: Awaitable[ExecutionResult]) -> ExecutionResult:
        """Await what carries the call out: its arguments are accepted, and its time begins.

        Args:
            work: Ends in the result that is told; or fails, and the time until then is told.

        Raises:
            BaseException: What the work raises.
        """
        self._begun = time.monotonic()
        self._result = await work
        return self._result

    def told(self, kind: Kind, tier: str) -> SandboxExecData:
        """Return what there is to say at the end of the call.

        Args:
            kind: Which method was called.
            tier: Name of what isolates programs.
        """
        result = self._result
        return SandboxExecData(
            kind=kind,
            tier=tier,
            exit_code=None if result is None else result.exit_code,
            timed_out=result is not None and result.timed_out,
            execution_time_ms=self._passed() if result is None else result.execution_time_ms,
            denials=() if result is None else result.denials,
        )

    def _passed(self) -> int:
        if self._begun is None:
            return 0
        return max(1, round((time.monotonic() - self._begun) * 1000))


@contextlib.asynccontextmanager
async def observed(backend: DescribedBackend, kind: Kind) -> AsyncIterator[Observation]:
    """Tell the hooks of a backend, at the end of a call, what came of it.

    Every call is told once: one whose arguments are refused, or for which the backend is not open,
    with no time, since nothing was run; one that failed or was cancelled with the time it took.

    Args:
        backend: Whose call it is; the hooks that it has in the end are told.
        kind: Which of its methods was called.
    """
    observation = Observation()
    try:
        yield observation
    finally:
        if backend.hooks is not None:
            await backend.hooks.emit(HookEvent.SANDBOX_EXEC, observation.told(kind, backend.tier))
