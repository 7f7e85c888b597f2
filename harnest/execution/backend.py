"""The ports between an agent's tools and the place where its commands run."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from harnest.execution.hooks import HookManager
from harnest.execution.result import ExecutionResult

__all__ = ["DescribedBackend", "ExecutionBackend", "LocatedBackend", "OwnedBackend"]


@runtime_checkable
class ExecutionBackend(Protocol):
    """Runs commands and Python for an agent, and says which paths belong to it."""

    hooks: HookManager | None
    """Told of every call; None for nobody. A tool binding sets it only where it is None."""

    @property
    def owns_filesystem(self) -> bool:
        """Whether file tools work inside, through :meth:`execute_command`, or on the host."""
        ...

    async def execute_command(
        self, command: str, *, timeout: int | None = None, stdin: bytes | None = None
    ) -> ExecutionResult:
        """Run a command by the backend's shell, in the work directory.

        Args:
            command: Text for the shell.
            timeout: Whole seconds, at least 1, that may shorten the configured deadline; None for
                that one.
            stdin: Bytes that it reads as its input; None for an empty input.

        Raises:
            ValueError: An argument is out of bounds; nothing was run.
            ExecutionError: The backend failed.
        """
        ...

    async def execute(
        self, code: str, language: str = "python", *, timeout: int | None = None
    ) -> ExecutionResult:
        """Run a program in the work directory.

        Args:
            code: Source text.
            language: Only ``python``.
            timeout: As for :meth:`execute_command`.

        Raises:
            ValueError: An argument is out of bounds, the language included; nothing was run.
            ExecutionError: The backend failed.
        """
        ...

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        """Return the absolute path, inside the backend, of a path below the work directory.

        Args:
            path: Relative to the work directory, or absolute and below it.
            write: Whether it is going to be written.

        Raises:
            PermissionError: It is outside, by itself or through a link.
            ValueError: It is no text, empty, or holds a NUL.
        """
        ...


@runtime_checkable
class DescribedBackend(ExecutionBackend, Protocol):
    """A backend that says what it is, so that tools can tell a model what applies."""

    @property
    def tier(self) -> str:
        """Name of what isolates it, such as ``docker``."""
        ...

    @property
    def timeout_seconds(self) -> int:
        """The configured deadline of a call, in seconds."""
        ...

    @property
    def shell(self) -> str:
        """Path of the shell that commands are run by."""
        ...


@runtime_checkable
class LocatedBackend(ExecutionBackend, Protocol):
    """A backend whose work directory has another path for programs than for this host."""

    @property
    def inside_directory(self) -> str:
        """Absolute path of the work directory as programs inside see it.

        Raises:
            ExecutionError: It is not open.
        """
        ...


@runtime_checkable
class OwnedBackend(ExecutionBackend, Protocol):
    """A backend that may belong to the agent which it is bound to, from its start to its end."""

    @property
    def agent_owned(self) -> bool:
        """True: whoever binds it starts, syncs and closes it; False: its caller does."""
        ...

    async def start(self) -> None:
        """Make it ready for calls.

        Raises:
            ExecutionError: It can't be; what was made on the way is removed.
        """
        ...

    async def sync(self) -> None:
        """Bring what changed inside back to the host.

        Raises:
            ExecutionError: It can't be; what is inside stays there.
        """
        ...

    async def close(self) -> None:
        """Sync a last time, then remove what was made for it; may be called again.

        Raises:
            ExecutionError: It can't be; the message says what was kept.
        """
        ...
