"""The tier ``bubblewrap``: an agent's commands and Python in sandboxes around its directory."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from harnest.execution.local import ConfinedWorkspace, unavailable

from . import limits
from .allowed import HOME
from .bounds import Bounds
from .confinement import Confinement
from .probe import probe
from .promises import promises
from .view import covers

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution import WorkspaceConfig

__all__ = ["BubblewrapWorkspace"]


class BubblewrapWorkspace(ConfinedWorkspace):
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
        with unavailable("bubblewrap"):
            confinement = _confinement(config, directory)
        bounds = Bounds.of(memory_bytes=config.max_memory_mb * limits.MIB)
        super().__init__(config, directory, confinement=confinement, bounds=bounds)
        self.directory = HOME
        self.guarantees = promises(network=confinement.network, bounds=bounds)


def _own_python(work: str) -> str:
    """Return the interpreter that runs this, or its base if its environment is in the directory.

    A virtual environment that programs can change is theirs, and not what runs the supervisor.
    """
    inside = covers(work, os.path.realpath(sys.prefix))
    return os.path.realpath(sys.executable) if inside else sys.executable


def _confinement(config: WorkspaceConfig, directory: Path) -> Confinement:
    confinement = Confinement.of(
        python=config.python or _own_python(str(directory)),
        allowed_paths=[str(path) for path in config.allowed_paths],
        network=config.network_enabled is True,
        tmp_bytes=limits.TMP_BYTES,
        work=str(directory),
    )
    probe(confinement, directory, shell=config.shell)
    return confinement
