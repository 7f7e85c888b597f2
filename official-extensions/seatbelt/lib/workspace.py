"""The tier ``seatbelt``: an agent's commands and Python in sandboxes around its directory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harnest.execution.local import ConfinedWorkspace, ProgramBounds, unavailable

from .confinement import Confinement
from .probe import probe
from .promises import promises

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution import WorkspaceConfig

__all__ = ["SeatbeltWorkspace"]


class SeatbeltWorkspace(ConfinedWorkspace):
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
        with unavailable("seatbelt"):
            confinement = _confinement(config, directory)
        super().__init__(config, directory, confinement=confinement, bounds=ProgramBounds())
        self.directory = str(directory)
        self.guarantees = promises(network=confinement.network)


def _confinement(config: WorkspaceConfig, directory: Path) -> Confinement:
    confinement = Confinement.of(
        python=config.python or sys.executable,
        allowed=[str(path) for path in config.allowed_paths],
        network=config.network_enabled is True,
    )
    probe(confinement, directory, shell=config.shell)
    return confinement
