"""What happened becomes a result: by evidence, never by a number that a program can return."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.local import Ending
from harnest.sandbox import SandboxResult, SandboxStatus
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.execution.local import Capture, Ended
    from harnest.execution.local.report import End

    from .files import Collected

__all__ = ["Outcome", "invalid_code", "judge", "timed_out"]


_ENDINGS = {
    Ending.OUTPUT: (SandboxStatus.OUTPUT_LIMIT_EXCEEDED, "output_limit"),
    Ending.DEADLINE: (SandboxStatus.TIMED_OUT, "deadline"),
    Ending.LOST: (SandboxStatus.FAILED, "supervisor_lost"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an execution ended, before its output is added.

    Attributes:
        status: As the contract names it.
        exit_code: The program's, 128 + n after a signal; None if it did not end by itself.
        reason: Why it did not simply succeed or fail; empty if it did.
        details: Further metadata.
    """

    status: SandboxStatus
    exit_code: int | None = None
    reason: str = ""
    details: Mapping[str, Any]

    def result(
        self,
        capture: Capture,
        files: Collected,
        duration_ms: Mapping[str, float],
        *,
        refused_processes: int,
    ) -> SandboxResult:
        """Return the whole result.

        Args:
            capture: The output.
            files: The files that come back.
            duration_ms: Milliseconds of each phase.
            refused_processes: How often the program was refused another process.
        """
        metadata: dict[str, Any] = {
            "provider": "process",
            "phase": "execution",
            "duration_ms": dict(duration_ms),
            "truncated": capture.truncated(),
            **self.details,
        }
        reason = self.reason
        if refused_processes:
            metadata["refused_processes"] = refused_processes
            failed = self.status is SandboxStatus.FAILED and not reason
            reason = "pids_limit" if failed else reason
        if reason:
            metadata["reason"] = reason
        if files.omitted:
            metadata["output_files_omitted"] = files.omitted
        return SandboxResult(
            stdout=capture.text(OutputStream.STDOUT),
            stderr=capture.text(OutputStream.STDERR),
            output_files=files.files,
            metadata=metadata,
            status=self.status,
            exit_code=self.exit_code,
        )


def judge(ended: Ended, *, cpu_seconds: int) -> Outcome:
    """Return how an execution ended.

    Args:
        ended: What ended it.
        cpu_seconds: The limit of CPU time that applied.
    """
    details = _details(ended.end)
    if ended.ending is Ending.EXIT:
        return _ended_by_itself(ended, cpu_seconds, details)
    status, reason = _ENDINGS[ended.ending]
    return Outcome(status=status, reason=reason, details=details)


def timed_out(phase: str, duration_ms: Mapping[str, float]) -> SandboxResult:
    """Return the result of a call that reached its deadline before its program was started."""
    metadata = {
        "provider": "process",
        "phase": phase,
        "reason": "deadline",
        "duration_ms": dict(duration_ms),
        "truncated": {},
    }
    return SandboxResult(status=SandboxStatus.TIMED_OUT, metadata=metadata)


def invalid_code(refusal: str) -> SandboxResult:
    """Return the result of code that can't be delivered; nothing was started for it."""
    metadata = {
        "provider": "process",
        "phase": "configuration",
        "reason": "invalid_code",
        "duration_ms": {},
        "truncated": {},
    }
    return SandboxResult(status=SandboxStatus.FAILED, stderr=f"{refusal}\n", metadata=metadata)


def _details(end: End | None) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if end is not None:
        details["cpu_ms"] = end.cpu_ms
        if end.killed:
            details["killed_processes"] = end.killed
        if end.left:
            details["left_processes"] = end.left
    return details


def _ended_by_itself(ended: Ended, cpu_seconds: int, details: dict[str, Any]) -> Outcome:
    if ended.exit_code == 0:
        return Outcome(status=SandboxStatus.SUCCEEDED, exit_code=0, details=details)
    reason = ""
    if ended.end is not None and ended.end.signal:
        details["signal"] = _signal_name(ended.end.signal)
        reason = "cpu_limit" if ended.cpu_exceeded(cpu_seconds) else "signal"
    return Outcome(
        status=SandboxStatus.FAILED, exit_code=ended.exit_code, reason=reason, details=details
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
