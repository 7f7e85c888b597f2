"""The tier ``seatbelt``: an agent's commands and Python in sandboxes around its directory."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from harnest.execution import Guarantee, TierUnavailableError, UnsupportedPromiseError
from harnest.execution.local import (
    Capture,
    ProgramBounds,
    Refusal,
    answered,
    effective,
    run_local,
    sealed,
)
from harnest.execution.local.calls import command_line, named_limits
from harnest.sandbox import control

from .confinement import Confinement, Run
from .probe import probe
from .promises import promises

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution import EngineResult, ExecutionCall, WorkspaceConfig

__all__ = ["SeatbeltWorkspace"]


class SeatbeltWorkspace:
    """The engine of one workspace; calls run side by side, each in a sandbox of its own.

    Args:
        config: The configuration.
        directory: Work directory on this host, as its real path.

    Attributes:
        directory: The same: programs see this host's paths.
        guarantees: What holds here, and by what.

    Raises:
        SandboxCancelledError: The control scope was cancelled meanwhile.
        TierUnavailableError: This host can't have such sandboxes, or one did not keep its promises.
        UnsupportedPromiseError: A path can't be allowed.
    """

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        self.directory = str(directory)
        self._config = config
        self._work = directory
        self._bounds = ProgramBounds()
        self._confinement = _confinement(config, directory)
        self.guarantees: tuple[Guarantee, ...] = promises(network=self._confinement.network)

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
                limits=effective(named_limits(self._config) | self._bounds.named()),
                stdin=stdin,
            )
            with self._confinement.program(run) as program:
                ended = run_local(program, group=None, capture=capture, scope=scope)
        return answered(ended, capture, seconds=time.monotonic() - start)

    def close(self) -> None:
        """Do nothing: a call leaves nothing but what it wrote into the work directory."""


def _confinement(config: WorkspaceConfig, directory: Path) -> Confinement:
    try:
        confinement = Confinement.of(
            python=config.python or sys.executable,
            allowed=[str(path) for path in config.allowed_paths],
            network=config.network_enabled is True,
        )
        probe(confinement, directory, shell=config.shell)
    except Refusal as refusal:
        raise TierUnavailableError("seatbelt", refusal.reason, refusal.remedy) from None
    except ValueError as error:
        raise UnsupportedPromiseError(str(error)) from None
    return confinement
