"""A provider that does what a test tells it, under the real contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.sandbox import Sandbox, SandboxRequest, SandboxResult, control

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

__all__ = ["ScriptedProvider", "declare", "until_stopped"]


@dataclass
class ScriptedProvider:
    """Runs a test's function in place of a program.

    Attributes:
        script: Called with each request.
        requests: Every request that arrived, in order.
        closed: How often ``close`` was called.
    """

    script: Callable[[SandboxRequest], SandboxResult] = lambda _: SandboxResult()
    requests: list[SandboxRequest] = field(default_factory=list)
    closed: int = 0

    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run the script."""
        self.requests.append(request)
        return self.script(request)

    def close(self) -> None:
        """Count the call."""
        self.closed += 1


def declare(provider: object, **options: object) -> Sandbox:
    """Return a declaration whose factory gives ``provider``."""
    return Sandbox.provider(lambda: provider, **options)  # type: ignore[arg-type]


def until_stopped(started: threading.Event | None = None) -> SandboxResult:
    """Watch the current control scope, as a provider at work does, until it says stop."""
    scope = control.current()
    assert scope is not None
    if started is not None:
        started.set()
    while True:
        scope.check()
        scope.cancelled.wait(0.005)
