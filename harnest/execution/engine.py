"""The port between a workspace and the extension of its tier.

An extension offers a tier by a method ``workspace`` of its extension object. What that returns
works in blocking calls, in threads of the workspace's, several at a time; deadline and cancellation
come from :func:`harnest.sandbox.control.current`, as they do for providers of sandboxes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from harnest.execution import checks, limits
from harnest.execution.config import WorkspaceConfig

__all__ = ["EngineResult", "ExecutionCall", "Guarantee", "WorkspaceEngine", "WorkspaceExtension"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """One row of what a tier promises, as it is on this host.

    Attributes:
        name: Short stable name, such as ``network``.
        promise: What holds for programs.
        mechanism: What makes it hold.
        holds: Whether it does here; tried where it can be tried.
    """

    name: str
    promise: str
    mechanism: str
    holds: bool

    def __post_init__(self) -> None:
        for name in ("name", "promise", "mechanism"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} of a guarantee must be a non-blank str")
        if not isinstance(self.holds, bool):
            raise TypeError("holds must be a bool")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionCall:
    """One call.

    Attributes:
        kind: ``execute``: Python; ``execute_command``: a command for the configured shell.
        text: Source, at most :data:`~harnest.execution.limits.CODE_BYTES` bytes in UTF-8, or
            command, at most :data:`~harnest.execution.limits.COMMAND_BYTES`; not blank, no NUL.
        timeout_seconds: Its deadline in whole seconds, at least 1, never beyond the configured one.
        stdin: What it reads as its input, at most
            :data:`~harnest.execution.limits.STDIN_BYTES` bytes; None for an empty input.

    Raises:
        TypeError: ``stdin`` is no bytes.
        ValueError: Another value is out of its bounds.
    """

    kind: Literal["execute", "execute_command"]
    text: str = field(repr=False)
    timeout_seconds: int
    stdin: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, ("execute", "execute_command"))
        if self.kind == "execute":
            checks.source("code", self.text, limits.CODE_BYTES)
        else:
            checks.source("command", self.text, limits.COMMAND_BYTES)
        checks.number("timeout", self.timeout_seconds, limits.SECONDS_MAXIMUM)
        object.__setattr__(self, "stdin", checks.stdin_bytes(self.stdin))


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """How a call ended, as its tier saw it.

    Attributes:
        stdout: Output, at most the configured number of bytes together with ``stderr``.
        stderr: Error output.
        exit_code: As in :class:`~harnest.execution.ExecutionResult`, and so are the next.
        timed_out: Whether the deadline ended it.
        memory_exceeded: Whether there is evidence that it ran out of memory.
        truncated: Whether output was dropped.
        denials: What a policy refused.
        execution_time_ms: Milliseconds of the program itself, at least 1.
        files_created: What the call made, if the tier knows better than a look at the work
            directory before and after; None to let the workspace look.
    """

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int | None = None
    timed_out: bool = False
    memory_exceeded: bool = False
    truncated: bool = False
    denials: tuple[str, ...] = ()
    execution_time_ms: int = 1
    files_created: tuple[str, ...] | None = None


@runtime_checkable
class WorkspaceEngine(Protocol):
    """A tier at work for one workspace."""

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What it promises on this host."""
        ...

    @property
    def directory(self) -> str:
        """Absolute path of the work directory as programs inside see it."""
        ...

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry out a call; when it returns or raises, nothing of the call is running.

        Args:
            call: What to run.

        Raises:
            SandboxCancelledError: The control scope was cancelled.
            ExecutionError: It could not be carried out.
        """
        ...

    def close(self) -> None:
        """End and release everything, in a bounded time; may be called again.

        Raises:
            ExecutionError: Something could not be released; call again.
        """
        ...


@runtime_checkable
class WorkspaceExtension(Protocol):
    """What the extension object of a tier offers, beside the declarations of sandboxes."""

    def workspace(self, config: WorkspaceConfig, directory: Path) -> WorkspaceEngine:
        """Return an engine that is ready, having tried what the configuration asks for.

        Args:
            config: The configuration, checked.
            directory: Work directory on this host: existing, absolute, without links.

        Raises:
            TierUnavailableError: The tier can't run here.
            UnsupportedPromiseError: It can't keep what the configuration asks for.
        """
        ...
