"""The execution backend: an agent's commands, programs and file tools in a sandbox of a gateway."""

from __future__ import annotations

import asyncio
import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Self

from harnest.execution import (
    ExecutionCall,
    ExecutionResult,
    HookManager,
    WorkspaceClosedError,
    checks,
)
from harnest.execution.observation import observed
from harnest.execution.waiting import TaskCancelled, carried_out, in_thread
from harnest.sandbox import SandboxCancelledError, control
from harnest.sandbox.admission import Admission
from harnest.sandbox.errors import SandboxClosedError

from . import limits
from .config import OpenShellConfig
from .connecting import by_sdk
from .opened import OpenSandbox
from .paths import inside
from .sync.report import SyncReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .gateway.port import Gateway, PendingRule
    from .settings import SandboxSettings

__all__ = ["OpenShellBackend"]


class OpenShellBackend:
    """Runs an agent's commands in a sandbox of its own, and keeps a project in step with it.

    ::

        async with OpenShellBackend(OpenShellConfig(project=Path("."))) as backend:
            result = await backend.execute_command("make test")

    It belongs to the agent that binds it: closing brings files back and deletes the sandbox that it
    made. One that it attached to stays.

    Args:
        config: Session, gateway, policy and bounds.
        hooks: Told of every call; None for nobody, and a tool binding may set its own then.
        connect: Makes the connection, from the settings; None for the SDK's.

    Attributes:
        agent_owned: True, see above.
        config: What it was made with.
        hooks: As above.

    Raises:
        TypeError: ``config`` or ``hooks`` has another type.
        ValueError: A secret's variable is not set, or a value is out of bounds.
    """

    agent_owned = True
    owns_filesystem = True
    tier = "openshell"

    def __init__(
        self,
        config: OpenShellConfig | None = None,
        *,
        hooks: HookManager | None = None,
        connect: Callable[[SandboxSettings], Gateway] | None = None,
    ) -> None:
        config = OpenShellConfig() if config is None else config
        if not isinstance(config, OpenShellConfig):
            raise TypeError(f"config must be an OpenShellConfig, not {type(config).__name__}")
        if hooks is not None and not isinstance(hooks, HookManager):
            raise TypeError(f"hooks must be a HookManager or None, not {type(hooks).__name__}")
        self.config = config
        self.hooks = hooks
        self._settings = config.settings()
        self._connect = by_sdk if connect is None else connect
        self._open: OpenSandbox | None = None
        self._last: OpenSandbox | None = None
        self._admission = Admission()
        self._closed = False
        self._changing = asyncio.Lock()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "new" if self._open is None else self._open.name
        return f"OpenShellBackend({state})"

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
    def timeout_seconds(self) -> int:
        """The configured deadline of a call, in seconds."""
        return self.config.timeout_seconds

    @property
    def shell(self) -> str:
        """Path of the shell that commands are run by."""
        return self.config.shell

    @property
    def sandbox_name(self) -> str:
        """Name of the sandbox.

        Raises:
            WorkspaceClosedError: The backend is not open.
        """
        return self._opened().name

    @property
    def sync_report(self) -> SyncReport:
        """What came of bringing files back; it stays after closing."""
        return SyncReport() if self._last is None else self._last.report

    async def start(self) -> None:
        """Make the sandbox, or attach to the session's; copy the project. Does nothing if open.

        Raises:
            OpenShellUnavailableError: The SDK or the gateway can't be used; nothing was made.
            OpenShellStartError: It can't be made ready; what was made is deleted.
            OwnershipError: The sandbox is another owner's, or runs under another policy.
            WorkspaceClosedError: The backend is closed.
        """
        if self._closed:
            raise WorkspaceClosedError("the backend is closed: make another one")
        async with self._changing:
            if self._open is None:
                opened = OpenSandbox(self.config, self._settings, self._connect(self._settings))
                await self._make_ready(opened)
                self._open = self._last = opened

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
            WorkspaceClosedError: The backend is not open.
        """
        async with observed(self, "execute_command") as observation:
            call = ExecutionCall(
                kind="execute_command",
                text=command,
                timeout_seconds=checks.deadline(timeout, self.timeout_seconds),
                stdin=stdin,
            )
            return await observation.of(self._carried_out(self._opened(), call))

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
            return await observation.of(self._carried_out(self._opened(), call))

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        """Return the absolute path inside of a path below the work directory.

        Only the text is looked at: links are in the sandbox, where the tools that use the path look
        at them.

        Args:
            path: Relative to the work directory, or absolute and below it.
            write: Whether it is going to be written; all of the work directory may be.

        Raises:
            PermissionError: It is outside of the work directory.
            ValueError: It is no text, empty, too long or holds a NUL.
        """
        del write
        return inside(self.config.work, path)

    async def pending_rules(self) -> tuple[PendingRule, ...]:
        """Return the network rules that wait for a decision.

        Raises:
            BackendError: The gateway failed.
            WorkspaceClosedError: The backend is not open.
        """
        return await in_thread(self._opened().pending)

    async def approve_rule(self, rule: PendingRule) -> None:
        """Put a pending rule into the sandbox's policy, as it was listed and not otherwise.

        The policy then differs from the configured one, so that no later backend attaches to this
        sandbox with the old configuration.

        Args:
            rule: As :meth:`pending_rules` returned it.

        Raises:
            BackendError: The gateway failed, or the rule is not what it was.
            WorkspaceClosedError: The backend is not open.
        """
        opened = self._opened()
        await in_thread(lambda: opened.approve(rule))

    async def refuse_rule(self, rule: PendingRule, reason: str = "") -> None:
        """Refuse a pending rule.

        Args:
            rule: As :meth:`pending_rules` returned it.
            reason: Why, for the gateway's record.

        Raises:
            BackendError: The gateway failed.
            ValueError: The reason is too long.
            WorkspaceClosedError: The backend is not open.
        """
        if len(reason) > limits.REASON_CHARACTERS:
            raise ValueError(f"reason has more than {limits.REASON_CHARACTERS} characters")
        opened = self._opened()
        await in_thread(lambda: opened.reject(rule, reason))

    async def sync(self) -> None:
        """Bring back what changed in the sandbox; :attr:`sync_report` says what came of it.

        Raises:
            SyncFailedError: Not everything came back; the sandbox is kept.
            WorkspaceClosedError: The backend was never open.
        """
        if self._open is None and self._closed:
            return  # closing has brought everything back
        opened = self._open or self._opened()
        await in_thread(opened.sync)

    async def close(self) -> None:
        """End what runs, bring files back, delete what was made here. May be called again.

        Raises:
            DeleteFailedError: Something could not be deleted; the message names it. Close again.
            SyncFailedError: Not everything came back; the sandbox is kept. Close again.
        """
        self._closed = True
        async with self._changing:
            if self._open is not None:
                await self._end_running()
                await in_thread(self._open.close)
                self._open = None

    async def delete(self) -> None:
        """Delete the session's sandbox without bringing anything back, also one attached to.

        Raises:
            DeleteFailedError: It could not be deleted; call again.
            OwnershipError: It is another owner's; it was not touched.
            WorkspaceClosedError: The backend was never open.
        """
        opened = self._open
        if opened is None:
            raise WorkspaceClosedError("the backend is not open")
        self._closed = True
        async with self._changing:
            await self._end_running()
            await in_thread(opened.delete)
            self._open = None

    async def _make_ready(self, opened: OpenSandbox) -> None:
        seconds = self.config.ready_seconds + limits.CLEANUP_SECONDS
        cancellation: BaseException | None = None
        try:
            with control.execute(seconds) as scope:
                start = partial(opened.start, scope)
                await carried_out(start, scope, seconds + limits.OVERDUE_SECONDS)
        except TaskCancelled as cancelled:
            cancellation = cancelled.cancellation
        if cancellation is not None:
            if opened.ready:  # in the moment in which the task was cancelled: nobody will have it
                await in_thread(opened.discard)
            raise cancellation

    async def _end_running(self) -> None:
        self._admission.abandon()
        await in_thread(partial(self._admission.shut, limits.CLOSE_SECONDS))

    def _opened(self) -> OpenSandbox:
        if self._closed:
            raise WorkspaceClosedError("the backend is closed")
        if self._open is None:
            raise WorkspaceClosedError("the backend is not open: start it first")
        return self._open

    async def _carried_out(self, opened: OpenSandbox, call: ExecutionCall) -> ExecutionResult:
        failure: BaseException
        seconds = call.timeout_seconds
        try:
            with self._admission.admitted(seconds) as scope:
                carry_out = partial(opened.carry_out, call, scope)
                result = await carried_out(carry_out, scope, seconds + limits.OVERDUE_SECONDS)
            files = await in_thread(opened.refresh)
            return dataclasses.replace(result, files_created=files)
        except TaskCancelled as cancelled:
            failure = cancelled.cancellation
        except (SandboxCancelledError, SandboxClosedError) as error:
            failure = error
            if self._closed:
                failure = WorkspaceClosedError("the backend was closed meanwhile")
        raise failure
