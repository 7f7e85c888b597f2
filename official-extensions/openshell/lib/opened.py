"""A backend's sandbox while it is open: the blocking side of :mod:`.backend`."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from harnest.execution import BackendError, ExecutionResult
from harnest.execution.local import Capture
from harnest.execution.local.calls import command_line
from harnest.logging import get_logger
from harnest.sandbox.optional import OutputStream

from . import limits
from .denials import DenialLog, merged, of_output
from .errors import SyncFailedError
from .naming import Identity
from .remote import scripts
from .remote.run import Command, run
from .session import Session
from .sync.local import LocalTree
from .sync.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.execution import ExecutionCall
    from harnest.sandbox.scope import SandboxControl

    from .config import OpenShellConfig
    from .gateway.port import Gateway, PendingRule
    from .settings import SandboxSettings
    from .sync.report import SyncReport

__all__ = ["OpenSandbox"]

_LOG = get_logger("extensions.openshell")
_TEXT = {"LANG": "C.UTF-8"}


class OpenSandbox:
    """One sandbox, its project and its log.

    Args:
        config: The backend's configuration.
        settings: What the sandbox is made with.
        gateway: Connection that this object closes.

    Attributes:
        ready: Whether it was started.
    """

    def __init__(
        self, config: OpenShellConfig, settings: SandboxSettings, gateway: Gateway
    ) -> None:
        identity = Identity(owner=config.owner, session=config.session_id)
        tree = None if config.project is None else LocalTree(config.project, config.exclude)
        self._config = config
        self._gateway = gateway
        self._session = Session(gateway, settings, identity)
        self._project = Project(self._session.box, tree, config.exclude)
        self._denials = DenialLog(self._session.box)
        self._lock = threading.Lock()
        self._ending = threading.Lock()
        self._over = False
        self.ready = False

    @property
    def name(self) -> str:
        """Name of the sandbox."""
        return self._session.name

    @property
    def report(self) -> SyncReport:
        """What came of bringing files back."""
        return self._project.report

    def start(self, scope: SandboxControl) -> None:
        """Make the sandbox ready and copy the project into it.

        Args:
            scope: Says whether somebody still waits.

        Raises:
            ExecutionError: It can't be; what was made is deleted.
            SandboxCancelledError: Nobody waits any more; likewise.
        """
        try:
            self._session.start(
                attach=self._config.attach,
                check=scope.check,
                prepare=partial(self._prepare, scope.check),
            )
        except BaseException:
            self._gateway.close()
            raise
        self.ready = True

    def discard(self) -> None:
        """Give up what nobody has used yet; a failure is logged."""
        try:
            self._session.end()
        except BackendError as error:
            _LOG.warning("a sandbox that nobody waits for can't be deleted", error=str(error))
        self._gateway.close()

    def carry_out(self, call: ExecutionCall, scope: SandboxControl) -> ExecutionResult:
        """Run a command or program to its end.

        Args:
            call: What to run.
            scope: Its deadline and cancellation.

        Raises:
            BackendError: The gateway failed.
            SandboxCancelledError: The scope was cancelled; nothing of the call is running.
        """
        capture = Capture(self._config.max_output_bytes)
        ended = run(self._session.box, self._command(call), capture, scope)
        capture.close()
        stdout, stderr = capture.data(OutputStream.STDOUT), capture.data(OutputStream.STDERR)
        told = of_output(stdout, stderr)
        with self._lock:
            denials = merged(self._denials.new(), told)
        return ExecutionResult(
            stdout=capture.text(OutputStream.STDOUT),
            stderr=capture.text(OutputStream.STDERR),
            stdout_bytes=stdout,
            exit_code=ended.exit_code,
            timed_out=ended.timed_out,
            execution_time_ms=ended.milliseconds,
            denials=denials,
            truncated=capture.overflowed,
        )

    def refresh(self) -> tuple[str, ...]:
        """Bring back what a call changed; return its files. :meth:`sync` tells of a failure."""
        files: tuple[str, ...] = ()
        try:
            with self._lock:
                files = self._project.look()
                self._project.bring_back()
        except BackendError as error:
            told = {"sandbox": self.name, "error": str(error)}
            _LOG.warning("files of a sandbox were not brought back", **told)
        return files

    def sync(self) -> None:
        """Bring back what has changed.

        Raises:
            SyncFailedError: Not everything came back; the sandbox is kept.
        """
        try:
            with self._lock:
                self._project.look()
                self._project.bring_back()
        except BackendError as error:
            raise SyncFailedError(
                f"files could not be brought back: {error}. They are in the sandbox {self.name}, "
                "which is kept; sync or close again, or delete it to give them up.",
                self.name,
            ) from None

    def close(self) -> None:
        """Bring back what has changed, then delete what was made here, once.

        Raises:
            DeleteFailedError: Something could not be deleted; close again.
            SyncFailedError: Not everything came back; nothing was deleted; close again.
        """
        with self._ending:
            if self._over:
                return
            if self._config.project is not None:
                self.sync()
            self._session.end()
            self._gateway.close()
            self._over = True

    def delete(self) -> None:
        """Delete the sandbox without bringing anything back, whoever made it for this owner.

        Raises:
            DeleteFailedError: It could not be deleted.
            OwnershipError: It is somebody else's.
        """
        with self._ending:
            if not self._over:
                self._session.delete()
                self._gateway.close()
                self._over = True

    def pending(self) -> tuple[PendingRule, ...]:
        """Return the rules that wait for a decision."""
        return self._gateway.pending(self.name, limits.RPC_SECONDS)

    def approve(self, rule: PendingRule) -> None:
        """Put a pending rule into the policy."""
        self._gateway.approve(self.name, rule, limits.RPC_SECONDS)

    def reject(self, rule: PendingRule, reason: str) -> None:
        """Refuse a pending rule."""
        self._gateway.reject(self.name, rule, reason, limits.RPC_SECONDS)

    def _prepare(self, check: Callable[[], None]) -> None:
        if self._session.made:
            self._project.upload(check)
        else:
            self._project.look()  # what is there already is of no call of ours
        self._denials.new()  # what was refused before is nobody's here
        check()

    def _command(self, call: ExecutionCall) -> Command:
        work = self._config.work
        if call.kind == "execute":
            arguments = (self._config.python, "-c", scripts.BOOTSTRAP)
            code = call.text.encode()
            return Command(arguments=arguments, stdin=code, directory=work, environment=_TEXT)
        line = command_line(self._config.shell, call.text)
        return Command(
            arguments=line[:-1],
            last=line[-1],
            stdin=call.stdin or b"",
            directory=work,
        )
