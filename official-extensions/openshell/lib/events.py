"""Who observes a backend is told of each of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from harnest.execution import HookEvent, SandboxExecData

if TYPE_CHECKING:
    from harnest.execution import ExecutionResult, HookManager

__all__ = ["TIER", "Kind", "tell"]

TIER = "openshell"
"""What isolates the programs of this extension's backends."""
Kind: TypeAlias = Literal["execute", "execute_command"]
"""Which of a backend's methods was called."""


async def tell(hooks: HookManager | None, kind: Kind, result: ExecutionResult) -> None:
    """Tell listeners that a call is over.

    Args:
        hooks: The listeners; None for nobody.
        kind: Which call.
        result: What came of it.
    """
    if hooks is None:
        return
    data = SandboxExecData(
        kind=kind,
        tier=TIER,
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        execution_time_ms=result.execution_time_ms,
        denials=result.denials,
    )
    await hooks.emit(HookEvent.SANDBOX_EXEC, data)
