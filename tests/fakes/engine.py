"""A tier that does what a test tells it, under the real port."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

from harnest.execution import EngineResult, ExecutionCall, Guarantee, WorkspaceConfig
from harnest.sandbox import control

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path

    import pytest

__all__ = ["FakeEngine", "FakeTier", "offer", "until_stopped"]

ROW = Guarantee(name="access", promise="none", mechanism="a fake", holds=True)


@dataclass
class FakeEngine:
    """Runs a test's function in place of a program.

    Attributes:
        script: Called with each call and the work directory.
        directory: Work directory as programs would see it.
        host: Work directory on this host.
        calls: Every call that arrived, in order.
        closed: How often ``close`` was called.
        fails_to_close: Raised by ``close`` as long as it is set.
    """

    script: Callable[[ExecutionCall, Path], EngineResult]
    directory: str
    host: Path
    guarantees: tuple[Guarantee, ...] = (ROW,)
    calls: list[ExecutionCall] = field(default_factory=list)
    closed: int = 0
    fails_to_close: Exception | None = None

    def run(self, call: ExecutionCall) -> EngineResult:
        """Run the script."""
        self.calls.append(call)
        return self.script(call, self.host)

    def close(self) -> None:
        """Count the call."""
        self.closed += 1
        if self.fails_to_close is not None:
            raise self.fails_to_close


@dataclass
class FakeTier:
    """The extension object of a tier.

    Attributes:
        script: What its engines run.
        inside: Work directory as programs would see it; None for the host's.
        build: Called before an engine is made; may raise.
        engines: Every engine that was made.
    """

    script: Callable[[ExecutionCall, Path], EngineResult] = lambda _call, _folder: EngineResult(
        exit_code=0
    )
    inside: str | None = None
    build: Callable[[WorkspaceConfig], None] = lambda _: None
    engines: list[FakeEngine] = field(default_factory=list)

    def workspace(self, config: WorkspaceConfig, directory: Path) -> FakeEngine:
        """Make an engine."""
        self.build(config)
        seen = self.inside or str(directory)
        self.engines.append(FakeEngine(script=self.script, directory=seen, host=directory))
        return self.engines[-1]


def offer(monkeypatch: pytest.MonkeyPatch, tier: object, name: str = "fake") -> WorkspaceConfig:
    """Let an object be the extension of a name, and return a configuration for its tier."""
    module = ModuleType(f"harnest.extensions.{name}")
    module.extension = tier  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return WorkspaceConfig(tier=f"extension:{name}")


def until_stopped(started: threading.Event) -> EngineResult:
    """Watch the current control scope, as a tier at work does, until it says stop."""
    scope = control.current()
    assert scope is not None
    started.set()
    while True:
        scope.check()
        scope.cancelled.wait(0.005)
