"""A backend that runs commands by a real shell as processes of this host, in a given folder."""

from __future__ import annotations

import os
import posixpath
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.execution.result import ExecutionResult
from harnest.execution.tools.threads import in_thread

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution.hooks import HookManager

__all__ = ["OwnedShellBackend", "ShellBackend"]


@dataclass(eq=False, kw_only=True)
class ShellBackend:
    """Implements the port on plain subprocesses; its paths are checked by their text alone.

    Attributes:
        directory: Where commands run.
        owns_filesystem: Whether file tools are to work through commands.
        path: Folders in which programs are found, ``sh`` among them.
        shell: How a command is run: these words, then the command.
        output_bytes: Most bytes of output that are kept.
        commands: What was run so far.
    """

    directory: Path
    owns_filesystem: bool = False
    path: str = os.defpath
    shell: str = "/bin/sh"
    tier: str = "subprocess"
    timeout_seconds: int = 240
    output_bytes: int = 4 << 20
    hooks: HookManager | None = None
    launcher: tuple[str, ...] = ()
    inside: str = ""
    commands: list[str] = field(default_factory=list)

    async def execute_command(
        self,
        command: str,
        *,
        timeout: int | None = None,  # noqa: ASYNC109 - the port's own name
        stdin: bytes | None = None,
    ) -> ExecutionResult:
        """Run a command to its end or its deadline."""
        self.commands.append(command)
        seconds = min(timeout or self.timeout_seconds, self.timeout_seconds)
        return await in_thread(self._run, command, seconds, stdin or b"")

    async def execute(
        self,
        code: str,
        language: str = "python",
        *,
        timeout: int | None = None,  # noqa: ASYNC109 - the port's own name
    ) -> ExecutionResult:
        """Refuse: tools only run commands."""
        raise ValueError(f"{language} is not run here")

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        """Return a path below the directory, links not looked at."""
        if not path or "\0" in path:
            raise ValueError("a path must be a non-empty text without NUL")
        base = self.inside or str(self.directory)
        found = posixpath.normpath(posixpath.join(base, path))
        if found != base and not found.startswith(f"{base}/"):
            raise PermissionError(f"{path} is outside of the work directory")
        return found

    def _run(self, command: str, seconds: int, stdin: bytes) -> ExecutionResult:
        begun = time.monotonic()
        with subprocess.Popen(
            [*self.launcher, self.shell, "-c", command],
            cwd=self.directory,
            env={"PATH": self.path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                stdout, stderr = process.communicate(stdin, timeout=seconds)
                late = False
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                stdout, stderr = process.communicate()
                late = True
        code = process.returncode
        return ExecutionResult(
            stdout=stdout[: self.output_bytes].decode("utf-8", "replace"),
            stderr=stderr.decode("utf-8", "replace"),
            exit_code=None if late else code if code >= 0 else 128 - code,
            timed_out=late,
            truncated=len(stdout) > self.output_bytes,
            execution_time_ms=max(1, int((time.monotonic() - begun) * 1000)),
        )


@dataclass(eq=False, kw_only=True)
class OwnedShellBackend(ShellBackend):
    """The same, as a backend that belongs to the agent and keeps a list of what happened to it."""

    agent_owned: bool = True
    fails_to_sync: bool = False
    happened: list[str] = field(default_factory=list)

    async def start(self) -> None:
        """Begin."""
        self.happened.append("start")

    async def sync(self) -> None:
        """Bring everything back."""
        self.happened.append("sync")
        if self.fails_to_sync:
            raise OSError("the files stay in sandbox-7")

    async def close(self) -> None:
        """End."""
        self.happened.append("close")
