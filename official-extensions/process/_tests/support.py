"""What several tests of the process extension share."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest.sandbox import SandboxContext, SandboxRequest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SOMEONE", "alive", "request", "until"]

SOMEONE = SandboxContext(agent_name="a", user_id="u", session_id="s", invocation_id="i")


def request(code: str, **options: Any) -> SandboxRequest:
    """A request for a program."""
    return SandboxRequest(code=code, **options)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether a condition came true within some seconds."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
