"""What the tests of the workspace tier share: a workspace with an event loop of its own."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from conftest import AMPLE, patiently
from harnest.execution import ExecutionResult, Workspace, WorkspaceConfig

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

IMAGE = "harnest-test/python"
_AGE_SECONDS = 0.5


class Shop:
    """One open workspace of the tier ``docker``."""

    def __init__(self, **options: Any) -> None:
        self._closed = False
        self._runner = asyncio.Runner()
        self.workspace = Workspace(WorkspaceConfig(**{"tier": "docker", "image": IMAGE, **options}))
        try:
            self._runner.run(self.workspace.__aenter__())
        except BaseException:
            self._runner.close()
            raise

    @property
    def directory(self) -> Path:
        """Return the work directory on this host."""
        return self.workspace.directory

    @property
    def alive(self) -> int:
        """How many idle containers there are whose end has not come to this process."""
        assert self.workspace._open is not None
        engine: Any = self.workspace._open.engine
        return sum(topology.alive for topology in list(engine._lanes._idle))

    def sh(self, text: str, **options: Any) -> ExecutionResult:
        """Run a command."""
        return self._runner.run(self.workspace.execute_command(text, **options))

    def py(self, code: str, **options: Any) -> ExecutionResult:
        """Run a program."""
        return self._runner.run(self.workspace.execute(code, **options))

    def out(self, text: str, **options: Any) -> str:
        """Run a command that must succeed, and return what it printed."""
        result = self.sh(text, **options)
        assert result.exit_code == 0, result
        return result.stdout

    def overdue(self, text: str, file: str, **options: Any) -> ExecutionResult:
        """Run a command into its deadline, which it comes to long enough after it has made *file*."""
        made = self.directory / file

        def attempt(seconds: int) -> tuple[ExecutionResult, float]:
            made.unlink(missing_ok=True)
            started = time.monotonic()
            result = self.sh(text, timeout=seconds, **options)
            assert time.monotonic() - started < seconds + AMPLE
            assert result.execution_time_ms >= 1
            return result, time.time()

        def enough(came: tuple[ExecutionResult, float]) -> bool:
            # What was written before has had time to come.
            return made.exists() and came[1] - made.stat().st_mtime > _AGE_SECONDS

        result, _ = patiently(attempt, enough)
        assert (result.timed_out, result.exit_code) == (True, None)
        return result

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run something else in the workspace's event loop."""
        return self._runner.run(work)

    def close(self) -> None:
        """Close the workspace; it may have been closed before."""
        if self._closed:
            return
        self._closed = True
        try:
            self._runner.run(self.workspace.__aexit__(None, None, None))
        finally:
            self._runner.close()
