"""The tier ``process``: an agent's commands and Python as processes of this host, bounded.

No security boundary: programs have the access of this user. What is promised is told row by row in
:attr:`ProcessWorkspace.guarantees`, and a promise that this host can't keep is refused.
"""

from __future__ import annotations

import os
import sys
import time
import weakref
from typing import TYPE_CHECKING

from harnest.execution.engine import Guarantee
from harnest.execution.errors import BackendError, TierUnavailableError, UnsupportedPromiseError
from harnest.execution.local import (
    Capture,
    LocalProgram,
    ProgramBounds,
    answered,
    effective,
    run_local,
    sealed,
    workdir,
)
from harnest.execution.local.bounds import Means, bounds_memory, means
from harnest.execution.local.calls import command_line, named_limits
from harnest.sandbox import control

from . import limits
from .network import isolation_objection

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution.config import WorkspaceConfig
    from harnest.execution.engine import EngineResult, ExecutionCall

__all__ = ["ProcessWorkspace"]


class ProcessWorkspace:
    """The engine of one workspace; calls run side by side.

    Args:
        config: The configuration.
        directory: Work directory on this host, as its real path.

    Attributes:
        directory: The same: programs see this host's files.

    Raises:
        TierUnavailableError: The host is no POSIX system, or the shell or interpreter is missing.
        UnsupportedPromiseError: No network is asked for and can't be kept from programs here.
    """

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        if os.name != "posix":
            raise TierUnavailableError(
                "process", "it needs a POSIX system", "Choose the tier 'docker'."
            )
        self.directory = str(directory)
        self._config = config
        self._python = _executable("python", config.python or sys.executable)
        self._shell = _executable("shell", config.shell)
        self._isolated = config.network_enabled is False
        if self._isolated:
            _try_isolation(self._python)
        self._bounds = ProgramBounds(memory_bytes=config.max_memory_mb * limits.MIB)
        # Temporary files are no results: they go here, and not where files_created would list them.
        self._scratch = workdir.make(workdir.WORKSPACE_PREFIX)
        weakref.finalize(self, _remove_own, self._scratch, os.getpid())

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds here, and by what."""
        linux = sys.platform.startswith("linux")
        return (
            _row("access", "programs have this user's access to files", "none is taken away"),
            _row("work-directory", "a directory of its own", "mode 0700, removed at the end"),
            self._network(),
            _row("end", "no process of a call outlives it", "a reaper of all of them", linux),
            _row("input", "bytes arrive whole; else it is empty", "a sealed file in memory"),
            _row("output", "bounded; a program that exceeds it is ended", "counted as it is read"),
            _row("cpu", "CPU seconds of each process", "RLIMIT_CPU"),
            _row("file-size", "size of each file", "RLIMIT_FSIZE"),
            _row("memory", "memory of all processes of a call", "a control group", bounds_memory()),
            _row(
                "processes",
                "number of processes of a call",
                means().value,
                means() is Means.GROUP,
            ),
        )

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry out a call; see :class:`harnest.execution.WorkspaceEngine`."""
        capture = Capture(self._config.max_output_bytes)
        start = time.monotonic()
        with control.execute(call.timeout_seconds) as scope, sealed(call.stdin) as stdin:
            program = self._program(call, stdin)
            ended = run_local(program, group=self._bounds.group(), capture=capture, scope=scope)
        return answered(ended, capture, seconds=time.monotonic() - start)

    def close(self) -> None:
        """Remove the temporary files; calls are over by now, and nothing of them is left.

        Raises:
            BackendError: They can't be removed; call again.
        """
        if not workdir.remove(self._scratch):
            raise BackendError(f"the temporary files in {self._scratch} can't be removed")

    def _program(self, call: ExecutionCall, stdin: int) -> LocalProgram:
        command = call.kind == "execute_command"
        return LocalProgram(
            code=None if command else call.text,
            argv=command_line(self._shell, call.text) if command else (),
            python=self._python,
            work=self.directory,
            environment=self._environment(),
            limits=effective(named_limits(self._config) | self._bounds.named()),
            stdin=stdin,
            isolate_network=self._isolated,
        )

    def _environment(self) -> dict[str, str]:
        places = (os.path.dirname(self._python), "/usr/local/bin", "/usr/bin", "/bin")  # noqa: PTH120 - text is wanted
        base = {
            "PATH": os.pathsep.join(dict.fromkeys(places)),
            "LANG": "C.UTF-8",
            "HOME": self.directory,
            "TMPDIR": str(self._scratch),
        }
        return base | dict(self._config.environment)

    def _network(self) -> Guarantee:
        if self._isolated:
            return _row("network", "programs have none", "a network namespace, tried at the start")
        return _row("network", "programs have that of this host", "none is taken away")


def _remove_own(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked copy of the process owns none of them
        workdir.remove(directory)


def _row(name: str, promise: str, mechanism: str, holds: bool = True) -> Guarantee:
    return Guarantee(name=name, promise=promise, mechanism=mechanism, holds=holds)


def _executable(name: str, path: str) -> str:
    if not os.path.isfile(path) or not os.access(path, os.X_OK):  # noqa: PTH113 - text is at hand
        raise TierUnavailableError(
            "process",
            f"the configured {name} {path!r} is no executable file of this host",
            f"Name another one with {name}=.",
        )
    return path


def _try_isolation(python: str) -> None:
    objection = isolation_objection(python)
    if objection:
        raise UnsupportedPromiseError(
            f"network_enabled=False can't be kept by the tier 'process' on this host: {objection}. "
            "Allow unprivileged user namespaces, choose docker or bubblewrap, or leave it out."
        )
