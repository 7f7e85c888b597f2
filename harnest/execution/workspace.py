"""A backend on this host, in the tier that its configuration names.

It sees to what all tiers have in common - arguments, deadlines, cancellation, paths, events, the
work directory - and leaves the running to the engine of the tier's extension.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from harnest.execution import checks, limits
from harnest.execution.config import WorkspaceConfig
from harnest.execution.engine import ExecutionCall, Guarantee
from harnest.execution.errors import WorkspaceClosedError
from harnest.execution.hooks import HookManager
from harnest.execution.observation import observed
from harnest.execution.opened import OpenWorkspace
from harnest.execution.places import Places
from harnest.execution.result import ExecutionResult
from harnest.execution.waiting import in_thread

__all__ = ["Workspace"]


class Workspace:
    """Runs an agent's commands and Python in a work directory, any number at a time.

    ::

        async with Workspace(WorkspaceConfig(tier="process")) as workspace:
            result = await workspace.execute("print(40 * 10)")

    It belongs to its caller: tools that are bound to it never close it.

    Args:
        config: Tier and bounds.
        hooks: Told of every call; None for nobody, and a tool binding may set its own then.

    Attributes:
        agent_owned: False, see above.
        config: What it was made with.
        hooks: As above.

    Raises:
        TypeError: ``config`` or ``hooks`` has another type.
    """

    agent_owned = False

    def __init__(self, config: WorkspaceConfig, *, hooks: HookManager | None = None) -> None:
        if not isinstance(config, WorkspaceConfig):
            raise TypeError(f"config must be a WorkspaceConfig, not {type(config).__name__}")
        if hooks is not None and not isinstance(hooks, HookManager):
            raise TypeError(f"hooks must be a HookManager or None, not {type(hooks).__name__}")
        self.config = config
        self.hooks = hooks
        self._open: OpenWorkspace | None = None
        self._used = False
        self._closed = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def owns_filesystem(self) -> bool:
        """Whether tools that work on files do so inside, by commands."""
        return self.config.file_tools == "backend"

    @property
    def tier(self) -> str:
        """Name of the tier."""
        return self.config.tier_name

    @property
    def timeout_seconds(self) -> int:
        """The configured deadline of a call, in seconds."""
        return self.config.timeout_seconds

    @property
    def shell(self) -> str:
        """Path of the shell that commands are run by."""
        return self.config.shell

    @property
    def directory(self) -> Path:
        """The work directory on this host, as its real path.

        Raises:
            WorkspaceClosedError: The workspace is not open.
        """
        return self._opened().directory

    @property
    def inside_directory(self) -> str:
        """Absolute path of the work directory as programs inside see it.

        Raises:
            WorkspaceClosedError: The workspace is not open.
        """
        return self._opened().engine.directory

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What the tier promises, as it is on this host.

        Raises:
            WorkspaceClosedError: The workspace is not open.
        """
        return tuple(self._opened().engine.guarantees)

    async def start(self) -> None:
        """Make the work directory and let the tier try what it is asked for. Once.

        Raises:
            BackendError: No work directory can be made.
            TierUnavailableError: The tier can't run here; nothing was started.
            UnsupportedPromiseError: It can't keep what the configuration asks for.
            WorkspaceClosedError: The workspace was started or closed before.
        """
        self._use()
        self._open = await OpenWorkspace.of(self.config)
        if self._closed:  # meanwhile, by another task
            await self.close()
            raise WorkspaceClosedError("the workspace was closed while it was being opened")

    async def execute_command(
        self, command: str, *, timeout: int | None = None, stdin: bytes | None = None
    ) -> ExecutionResult:
        """Run a command by the configured shell, in the work directory.

        Args:
            command: Text for the shell, at most
                :data:`~harnest.execution.limits.COMMAND_BYTES` bytes.
            timeout: Whole seconds, at least 1, that may shorten the configured deadline, never
                extend it; None for that one.
            stdin: Bytes that it reads as its input; None for an empty input.

        Raises:
            TypeError: ``stdin`` is no bytes.
            ValueError: Another argument is out of its bounds; nothing was run.
            BackendError: It could not be carried out.
            SandboxCancelledError: The control scope around it, or its invocation, is over.
            WorkspaceClosedError: The workspace is not open, or was closed meanwhile.
        """
        async with observed(self, "execute_command") as observation:
            call = ExecutionCall(
                kind="execute_command",
                text=command,
                timeout_seconds=checks.deadline(timeout, self.timeout_seconds),
                stdin=stdin,
            )
            return await observation.of(self._opened().carry_out(call))

    async def execute(
        self, code: str, language: str = "python", *, timeout: int | None = None
    ) -> ExecutionResult:
        """Run Python in the work directory.

        Args:
            code: Source, at most :data:`~harnest.execution.limits.CODE_BYTES` bytes.
            language: ``python``, the only one.
            timeout: As for :meth:`execute_command`.

        Raises:
            Exception: As :meth:`execute_command`.
        """
        async with observed(self, "execute") as observation:
            checks.language(language)
            seconds = checks.deadline(timeout, self.timeout_seconds)
            call = ExecutionCall(kind="execute", text=code, timeout_seconds=seconds)
            return await observation.of(self._opened().carry_out(call))

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        """Return the absolute path of what ``path`` names: inside if tools work there, else here.

        Every link on the way is followed. A last one is looked at but stays in the path, so that
        whoever uses it can tell.

        Args:
            path: Relative to the work directory, or absolute and below it.
            write: Whether it is going to be written; all of the work directory may be.

        Raises:
            PermissionError: It is outside of the work directory, by itself or through a link; or
                that directory was removed, or replaced by something else.
            ValueError: It is no text, empty, too long or holds a NUL.
            WorkspaceClosedError: The workspace is not open.
        """
        del write
        opened = self._opened()
        if not opened.in_place:
            raise PermissionError(
                "the work directory was removed or replaced; make another workspace"
            )
        places = Places(host=str(opened.directory), inside=opened.engine.directory)
        return places.resolve(path, inside=self.owns_filesystem)

    async def sync(self) -> None:
        """Do nothing: the work directory is this host's own."""

    async def close(self) -> None:
        """End what runs, then the tier, and remove a private work directory. May be called again.

        Raises:
            BackendError: Something could not be ended or removed; call again.
        """
        self._closed = True
        if self._open is not None:
            await in_thread(self._open.close, limits.FOLDER_SECONDS + 4 * limits.CLOSE_SECONDS)
            self._open = None

    def _use(self) -> None:
        if self._used or self._closed:
            raise WorkspaceClosedError("a workspace is started once: make another one")
        self._used = True

    def _opened(self) -> OpenWorkspace:
        if self._closed:
            raise WorkspaceClosedError("the workspace is closed")
        if self._open is None:
            raise WorkspaceClosedError("the workspace is not open: use `async with Workspace(...)`")
        return self._open
