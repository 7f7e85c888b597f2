"""How a local program ended, as the answer of a tier's engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution.engine import EngineResult
from harnest.execution.local.execution import Ending
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from harnest.execution.local.capture import Capture
    from harnest.execution.local.execution import Ended

__all__ = ["answered"]


def answered(
    ended: Ended, capture: Capture, *, seconds: float, denials: tuple[str, ...] = ()
) -> EngineResult:
    """Return the answer to one call.

    Args:
        ended: How its program ended.
        capture: Its output.
        seconds: How long it took.
        denials: What a policy refused it.
    """
    return EngineResult(
        stdout=capture.data(OutputStream.STDOUT),
        stderr=capture.data(OutputStream.STDERR),
        exit_code=ended.exit_code,
        timed_out=ended.ending is Ending.DEADLINE,
        memory_exceeded=ended.memory_exceeded,
        truncated=capture.overflowed,
        denials=denials,
        execution_time_ms=max(1, round(seconds * 1000)),
    )
