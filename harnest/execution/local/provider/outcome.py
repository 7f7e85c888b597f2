"""What happened becomes a result: by evidence, never by a number that a program can return."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.local.execution import Ending
from harnest.sandbox import SandboxResult, SandboxStatus
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.execution.local.capture import Capture
    from harnest.execution.local.execution import Ended
    from harnest.execution.local.provider.files import Collected

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
        provider: Name of the provider.
        status: As the contract names it.
        exit_code: The program's, 128 + n after a signal; None if it did not end by itself.
        reason: Why it did not simply succeed or fail; empty if it did.
        details: Further metadata.
    """

    provider: str
    status: SandboxStatus
    exit_code: int | None = None
    reason: str = ""
    details: Mapping[str, Any]

    def result(
        self,
        capture: Capture,
        files: Collected,
        duration_ms: Mapping[str, float],
    ) -> SandboxResult:
        """Return the whole result.

        Args:
            capture: The output.
            files: The files that come back.
            duration_ms: Milliseconds of each phase.
        """
        metadata: dict[str, Any] = {
            "provider": self.provider,
            "phase": "execution",
            "duration_ms": dict(duration_ms),
            "truncated": capture.truncated(),
            **self.details,
        }
        if self.reason:
            metadata["reason"] = self.reason
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


def judge(ended: Ended, *, provider: str, cpu_seconds: int) -> Outcome:
    """Return how an execution ended.

    Args:
        ended: What ended it.
        provider: Name of the provider.
        cpu_seconds: The limit of CPU time that applied.
    """
    status, reason = _ENDINGS.get(ended.ending, (SandboxStatus.FAILED, ""))
    if ended.exit_code == 0:
        status = SandboxStatus.SUCCEEDED
    elif status is SandboxStatus.FAILED:
        reason = _reason(ended, cpu_seconds) or reason
    return Outcome(
        provider=provider,
        status=status,
        exit_code=ended.exit_code,
        reason=reason,
        details=_details(ended),
    )


def timed_out(provider: str, phase: str, duration_ms: Mapping[str, float]) -> SandboxResult:
    """Return the result of a call that reached its deadline before its program was started."""
    metadata = {
        "provider": provider,
        "phase": phase,
        "reason": "deadline",
        "duration_ms": dict(duration_ms),
        "truncated": {},
    }
    return SandboxResult(status=SandboxStatus.TIMED_OUT, metadata=metadata)


def invalid_code(provider: str, refusal: str) -> SandboxResult:
    """Return the result of code that can't be delivered; nothing was started for it."""
    metadata = {
        "provider": provider,
        "phase": "configuration",
        "reason": "invalid_code",
        "duration_ms": {},
        "truncated": {},
    }
    return SandboxResult(status=SandboxStatus.FAILED, stderr=f"{refusal}\n", metadata=metadata)


def _reason(ended: Ended, cpu_seconds: int) -> str:
    """Return why a program failed, where there is evidence; the strongest comes first."""
    if ended.memory_exceeded:
        return "out_of_memory"
    if ended.cpu_exceeded(cpu_seconds):
        return "cpu_limit"
    if ended.end is not None and ended.end.signal and ended.exit_code is not None:
        return "signal"
    return "pids_limit" if ended.refused_processes else ""


def _details(ended: Ended) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if ended.refused_processes:
        details["refused_processes"] = ended.refused_processes
    end = ended.end
    if end is not None:
        details["cpu_ms"] = end.cpu_ms
        if end.killed:
            details["killed_processes"] = end.killed
        if end.left:
            details["left_processes"] = end.left
        if end.signal and ended.exit_code is not None:
            details["signal"] = _signal_name(end.signal)
    return details


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
