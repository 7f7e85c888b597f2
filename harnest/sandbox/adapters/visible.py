"""The one line by which an agent loop sees that a run did not succeed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harnest.sandbox.status import SandboxStatus

if TYPE_CHECKING:
    from harnest.sandbox.result import SandboxResult

__all__ = ["outcome_line"]

_WORD = re.compile(r"[A-Za-z0-9 '_./-]{1,80}", re.ASCII)


def outcome_line(result: SandboxResult) -> str:
    """Return status, exit code, the known reason and the phase of a time-out; "" for success.

    Args:
        result: What came of the run.
    """
    if result.status is SandboxStatus.SUCCEEDED:
        return ""
    code = "none" if result.exit_code is None else result.exit_code
    facts = [f"status {result.status.value}", f"exit code {code}"]
    late = result.status is SandboxStatus.TIMED_OUT
    for name in ("reason", "phase") if late else ("reason",):
        value = result.metadata.get(name)
        if isinstance(value, str) and _WORD.fullmatch(value):
            facts.append(f"{name} {value}")
    return f"harnest: {', '.join(facts)}"
