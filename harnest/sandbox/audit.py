"""One audit record for each managed execution: who asked for what and how it ended, no payload."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from harnest.sandbox.errors import SandboxCancelledError, SandboxExecutionError
from harnest.sandbox.result import SandboxResult
from harnest.sandbox.status import SandboxStatus

__all__ = ["AuditEntry"]

_LOGGER = logging.getLogger("harnest.audit")
_EVENT = "sandbox.execute"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An execution that has begun; :meth:`close` writes its record.

    Attributes:
        operation: How it was asked for, such as ``execute``.
        trigger: Who asked: ``agent`` or ``user``.
        provider: Name of the provider's kind, from the declaration.
        started: Begin on ``time.monotonic()``.

    Raises:
        ValueError: The trigger is another.
    """

    operation: str
    trigger: str
    provider: str
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        if self.trigger not in {"agent", "user"}:
            raise ValueError("trigger must be 'agent' or 'user'")

    def close(self, outcome: SandboxResult | BaseException) -> None:
        """Write the record on logger ``harnest.audit``.

        Args:
            outcome: What the caller gets; only its class and status are recorded.
        """
        _LOGGER.info(
            _EVENT,
            extra={
                "event": _EVENT,
                "operation": self.operation,
                "trigger": self.trigger,
                "provider": self.provider,
                "outcome": _outcome(outcome),
                "status": _status(outcome).value,
                "duration_ms": round((time.monotonic() - self.started) * 1000),
            },
        )


def _outcome(outcome: SandboxResult | BaseException) -> str:
    if isinstance(outcome, SandboxResult):
        return "completed"
    if _status(outcome) is SandboxStatus.CANCELLED:
        return "cancelled"
    return "failed" if isinstance(outcome, SandboxExecutionError) else "refused"


def _status(outcome: SandboxResult | BaseException) -> SandboxStatus:
    if isinstance(outcome, SandboxResult | SandboxExecutionError):
        return outcome.status
    interrupted = not isinstance(outcome, Exception)
    if interrupted or isinstance(outcome, SandboxCancelledError):
        return SandboxStatus.CANCELLED
    return SandboxStatus.FAILED
