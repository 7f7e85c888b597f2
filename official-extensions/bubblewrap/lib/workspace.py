"""The tier ``bubblewrap``: an agent's commands and Python in sandboxes around its directory."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from harnest.execution import Guarantee, TierUnavailableError, UnsupportedPromiseError
from harnest.execution.local import Capture, Refusal, answered, effective, run_local, sealed
from harnest.execution.local.calls import command_line, named_limits
from harnest.sandbox import control

from . import limits
from .allowed import HOME
from .bounds import Bounds
from .confinement import Confinement, Run
from .probe import probe
from .promises import promises
from .view import covers

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution import EngineResult, ExecutionCall, WorkspaceConfig

__all__ = ["BubblewrapWorkspace"]


class BubblewrapWorkspace:
    """The engine of one workspace; calls run side by side, each in a sandbox of its own.

    Args:
        config: The configuration.
        directory: Work directory on this host, as its real path.

    Attributes:
        directory: Where programs see it.
        guarantees: What holds here, and by what.

    Raises:
        SandboxCancelledError: The control scope was cancelled meanwhile.
        TierUnavailableError: This host can't have such sandboxes, or one did not keep its promises.
        UnsupportedPromiseError: A path can't be allowed.
    """

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        self.directory = HOME
        self._config = config
        self._work = directory
        self._confinement = _confinement(config, directory)
        self._bounds = Bounds.of(
            memory_bytes=config.max_memory_mb * limits.MIB, named=named_limits(config)
        )
        self.guarantees: tuple[Guarantee, ...] = promises(
            network=self._confinement.network, bounds=self._bounds
        )

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry out a call; see :class:`harnest.execution.WorkspaceEngine`."""
        capture = Capture(self._config.max_output_bytes)
        command = call.kind == "execute_command"
        start = time.monotonic()
        with control.execute(call.timeout_seconds) as scope, sealed(call.stdin) as stdin:
            run = Run(
                work=self._work,
                code=None if command else call.text,
                argv=command_line(self._config.shell, call.text) if command else (),
                environment=self._config.environment,
                limits=effective(self._bounds.named()),
                stdin=stdin,
            )
            with self._confinement.program(run) as program:
                ended = run_local(program, group=self._bounds.group(), capture=capture, scope=scope)
        return answered(ended, capture, seconds=time.monotonic() - start)

    def close(self) -> None:
        """Do nothing: a call leaves nothing but what it wrote into the work directory."""


def _own_python(work: str) -> str:
    """Return the interpreter that runs this, or its base if its environment is in the directory.

    A virtual environment that programs can change is theirs, and not what runs the supervisor.
    """
    inside = covers(work, os.path.realpath(sys.prefix))
    return os.path.realpath(sys.executable) if inside else sys.executable


def _confinement(config: WorkspaceConfig, directory: Path) -> Confinement:
    try:
        confinement = Confinement.of(
            python=config.python or _own_python(str(directory)),
            allowed_paths=[str(path) for path in config.allowed_paths],
            network=config.network_enabled is True,
            tmp_bytes=limits.TMP_BYTES,
            work=str(directory),
        )
        probe(confinement, directory, shell=config.shell)
    except Refusal as refusal:
        raise TierUnavailableError("bubblewrap", refusal.reason, refusal.remedy) from None
    except ValueError as error:
        raise UnsupportedPromiseError(str(error)) from None
    return confinement
