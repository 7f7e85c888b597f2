"""A workspace that is open: its engine, its work directory, and the calls that run."""

from __future__ import annotations

import os
import stat
import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from harnest.execution import limits
from harnest.execution.engine import EngineResult, ExecutionCall, WorkspaceEngine
from harnest.execution.errors import BackendError, ExecutionError, WorkspaceClosedError
from harnest.execution.local import workdir
from harnest.execution.result import ExecutionResult
from harnest.execution.snapshot import Snapshot
from harnest.execution.text import decoded
from harnest.execution.tier import engine_of
from harnest.execution.waiting import TaskCancelled, carried_out, in_thread
from harnest.logging import get_logger
from harnest.sandbox import control
from harnest.sandbox.admission import Admission
from harnest.sandbox.errors import SandboxCancelledError, SandboxClosedError, SandboxExecutionError

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution.config import WorkspaceConfig
    from harnest.sandbox.scope import SandboxControl

__all__ = ["OpenWorkspace"]

_LOG = get_logger("execution.workspace")


@dataclass(slots=True, eq=False, kw_only=True, weakref_slot=True)
class OpenWorkspace:
    """What a workspace holds from its start to its end.

    Attributes:
        engine: The tier at work.
        directory: Real path of the work directory on this host.
        private: Whether the directory was made for it and goes with it.
    """

    engine: WorkspaceEngine
    directory: Path
    private: bool
    _admission: Admission = field(default_factory=Admission)
    _closing: bool = False
    _identity: tuple[int, int, int] = field(init=False)
    _forgotten: weakref.finalize[..., Any] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._identity = _identity(self.directory.lstat())
        if self.private:
            # Whoever forgets to close a workspace leaves no directory behind either.
            self._forgotten = weakref.finalize(self, _remove_own, self.directory, os.getpid())

    @classmethod
    async def of(cls, config: WorkspaceConfig) -> Self:
        """Make what a configuration asks for, or leave nothing behind.

        Raises:
            BackendError: No work directory can be made.
            TierUnavailableError: The tier can't run here.
            UnsupportedPromiseError: It can't keep what the configuration asks for.
        """
        made: list[Self] = []
        try:
            with control.execute(limits.START_SECONDS) as scope:
                make = partial(cls._make, config, scope, made)
                await carried_out(make, scope, limits.START_SECONDS)
            return made.pop()
        except TaskCancelled as cancelled:
            raise cancelled.cancellation from None
        finally:
            for late in made:  # it was ready in the moment in which the task was cancelled
                await late._discarded()  # noqa: SLF001 - its own class

    @classmethod
    def _make(cls, config: WorkspaceConfig, scope: SandboxControl, made: list[Self]) -> None:
        """Make one and put it into a list, from which whoever no longer waits can take it."""
        private = config.directory is None
        directory = config.directory or _made()
        try:
            engine = engine_of(config, directory)
        except BaseException:
            if private:
                workdir.remove(directory)
            raise
        made.append(cls(engine=engine, directory=directory, private=private))
        if scope.failed or scope.cancelled.is_set() or scope.revoked:
            made.pop().close()
            scope.check_wanted()

    async def carry_out(self, call: ExecutionCall) -> ExecutionResult:
        """Run a call to its end, its deadline or the cancellation of the task.

        Raises:
            BackendError: It could not be carried out.
            SandboxCancelledError: The control scope around it, or its invocation, is over.
            WorkspaceClosedError: The workspace is closed, or was meanwhile.
        """
        failure: BaseException
        try:
            with self._admission.admitted(call.timeout_seconds) as scope:
                result, files = await carried_out(
                    lambda: self._run(call), scope, call.timeout_seconds
                )
                return _result(result, files)
        except TaskCancelled as cancelled:
            failure = cancelled.cancellation
        except Exception as error:  # noqa: BLE001 - third-party code; its error may tell secrets
            failure = self._plain(error)
        if isinstance(failure, TimeoutError):
            return ExecutionResult(timed_out=True, execution_time_ms=call.timeout_seconds * 1000)
        raise failure

    def close(self) -> None:
        """End what runs, then the engine, and remove a private directory; may be called again.

        Raises:
            BackendError: Something could not be ended or removed; call again.
        """
        self._closing = True
        self._admission.abandon()
        self._admission.shut(limits.CLOSE_SECONDS)  # waits for what was abandoned
        failure = ""
        try:
            with control.cleanup(limits.CLOSE_SECONDS):
                self.engine.close()
        except Exception as error:  # noqa: BLE001 - third-party code; the directory goes all the same
            told = isinstance(error, ExecutionError | SandboxExecutionError)
            failure = str(error) if told else f"the tier failed with {type(error).__name__}"
        if self.private and not workdir.remove(self.directory):
            failure = failure or f"the work directory {self.directory} can't be removed"
        elif self._forgotten is not None:
            self._forgotten.detach()  # what comes to lie there later is not ours
        if failure:
            raise BackendError(f"closing did not succeed: {failure}. Close again")

    def _run(self, call: ExecutionCall) -> tuple[EngineResult, tuple[str, ...]]:
        self._check_directory()
        before = Snapshot.of(self.directory)
        result = self.engine.run(call)
        if not isinstance(result, EngineResult):
            raise TypeError("the engine returned something else than an EngineResult")
        if result.files_created is not None:
            return result, result.files_created
        return result, Snapshot.of(self.directory).made_since(before)

    @property
    def in_place(self) -> bool:
        """Whether the work directory is the one that it was, and no link or folder in its place."""
        try:
            return _identity(self.directory.lstat()) == self._identity
        except OSError:
            return False

    def _check_directory(self) -> None:
        """Refuse to run in what a program put in the place of the directory; let it be entered."""
        if not self.in_place:
            raise BackendError("the work directory was removed or replaced; make another workspace")
        if self.private and self.directory.lstat().st_mode & stat.S_IRWXU != stat.S_IRWXU:
            self.directory.chmod(stat.S_IRWXU)  # a program took its rights, and so those of others

    async def _discarded(self) -> None:
        """Close one that nobody will have; a failure is logged, as another error is on its way."""
        try:
            await in_thread(self.close, limits.FOLDER_SECONDS + 4 * limits.CLOSE_SECONDS)
        except BackendError as error:
            _LOG.warning("a workspace that nobody waits for can't be closed", error=str(error))

    def _plain(self, error: Exception) -> Exception:
        """Return what the caller may see of an error, which may hold secrets."""
        if isinstance(error, ExecutionError | TimeoutError):
            return error
        if isinstance(error, SandboxClosedError):
            return WorkspaceClosedError("the workspace is closed")
        if isinstance(error, SandboxCancelledError):
            if self._closing:
                return WorkspaceClosedError("the workspace was closed while the call was running")
            return SandboxCancelledError("the call was cancelled")
        if isinstance(error, SandboxExecutionError):
            return BackendError(str(error))  # fit to be shown to anyone
        return BackendError(f"the tier failed with {type(error).__name__}; its log tells more")


def _made() -> Path:
    try:
        return workdir.make(workdir.WORKSPACE_PREFIX)
    except OSError as error:
        failure = type(error).__name__
    raise BackendError(
        f"no work directory can be made ({failure}): check the free space and the permissions of "
        "the place for temporary files, or configure a directory"
    )


def _remove_own(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked copy of the process owns none of them
        workdir.remove(directory)


def _identity(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_dev, facts.st_ino, stat.S_IFMT(facts.st_mode)


def _result(raw: EngineResult, files: tuple[str, ...]) -> ExecutionResult:
    return ExecutionResult(
        stdout=decoded(raw.stdout, cut=raw.truncated),
        stderr=decoded(raw.stderr, cut=raw.truncated),
        stdout_bytes=raw.stdout,
        exit_code=raw.exit_code,
        timed_out=raw.timed_out,
        memory_exceeded=raw.memory_exceeded,
        execution_time_ms=max(1, raw.execution_time_ms),
        files_created=files,
        denials=raw.denials[: limits.DENIALS],
        truncated=raw.truncated,
    )
