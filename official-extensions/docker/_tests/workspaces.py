"""What the tests of the workspace tier share: a workspace with an event loop of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from harnest.execution import ExecutionResult, Workspace, WorkspaceConfig

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

IMAGE = "harnest-test/python"


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
