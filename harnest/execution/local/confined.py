"""The engine of a workspace whose calls are confined, each by itself."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from harnest.execution.errors import TierUnavailableError, UnsupportedPromiseError
from harnest.execution.local.answer import answered
from harnest.execution.local.calls import command_line, named_limits
from harnest.execution.local.capture import Capture
from harnest.execution.local.confinement import ConfinedRun
from harnest.execution.local.execution import run_local
from harnest.execution.local.refusal import Refusal
from harnest.execution.local.rlimits import effective
from harnest.execution.local.sealing import sealed
from harnest.sandbox import control

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.execution.config import WorkspaceConfig
    from harnest.execution.engine import EngineResult, ExecutionCall
    from harnest.execution.local.confinement import Confinement, Held

__all__ = ["ConfinedWorkspace", "unavailable"]


class ConfinedWorkspace:
    """Carries out calls side by side; a tier adds ``directory`` and ``guarantees``.

    Args:
        config: The configuration.
        work: Work directory on this host, as its real path.
        confinement: What confines each call; it was tried.
        bounds: What all processes of a call are held to.
    """

    def __init__(
        self, config: WorkspaceConfig, work: Path, *, confinement: Confinement, bounds: Held
    ) -> None:
        self._config = config
        self._work = work
        self._confinement = confinement
        self._bounds = bounds

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry out a call; see :class:`harnest.execution.WorkspaceEngine`."""
        capture = Capture(self._config.max_output_bytes)
        start = time.monotonic()
        with (
            control.execute(call.timeout_seconds) as scope,
            sealed(call.stdin) as stdin,
            self._confinement.program(self._asked(call, stdin)) as program,
        ):
            ended = run_local(program, group=self._bounds.group(), capture=capture, scope=scope)
        return answered(ended, capture, seconds=time.monotonic() - start)

    def close(self) -> None:
        """Do nothing: a call leaves nothing but what it wrote into the work directory."""

    def _asked(self, call: ExecutionCall, stdin: int) -> ConfinedRun:
        command = call.kind == "execute_command"
        return ConfinedRun(
            work=self._work,
            code=None if command else call.text,
            argv=command_line(self._config.shell, call.text) if command else (),
            environment=self._config.environment,
            limits=effective(named_limits(self._config) | self._bounds.named()),
            stdin=stdin,
        )


@contextlib.contextmanager
def unavailable(tier: str) -> Iterator[None]:
    """Tell in the words of workspaces why a confinement can't be had.

    Args:
        tier: Name of the tier.

    Raises:
        TierUnavailableError: The block raised a :class:`Refusal`.
        UnsupportedPromiseError: It raised a ValueError: a path can't be allowed.
    """
    try:
        yield
    except Refusal as refusal:
        raise TierUnavailableError(tier, refusal.reason, refusal.remedy) from None
    except ValueError as error:
        raise UnsupportedPromiseError(str(error)) from None
