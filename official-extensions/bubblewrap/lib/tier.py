"""How programs of a bubblewrap sandbox are started: each in a sandbox of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest.execution.local import LocalProgramError
from harnest.execution.local.provider.confined import ConfinedTier

from . import limits
from .bounds import Bounds
from .confinement import Confinement
from .diagnosis import diagnose
from .errors import BubblewrapSandboxError
from .probe import probe
from .settings import PREFIX

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.sandbox.optional import SandboxDiagnosis

    from .settings import BubblewrapLimits, BubblewrapSettings

__all__ = ["BubblewrapTier"]


class BubblewrapTier(ConfinedTier):
    """Starts programs in sandboxes, having tried one.

    Args:
        settings: The declaration.

    Raises:
        BubblewrapSandboxError: This host can't have such a sandbox, one did not keep a promise, or
            something is declared that this host can't hold programs to.
        SandboxCancelledError: The call that needs it was cancelled.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        ValueError: A path can't be allowed.
    """

    name = "bubblewrap"
    prefix = PREFIX
    failure = BubblewrapSandboxError

    def __init__(self, settings: BubblewrapSettings) -> None:
        self._settings = settings
        try:
            bounds = _bounds(settings.limits)
        except LocalProgramError as error:
            raise self.error(error.reason, phase=error.phase) from None
        super().__init__(settings, bounds)

    def tried(self, work: Path, *, network: bool) -> Confinement:
        """Return a sandbox that kept every promise; see the base class."""
        settings = self._settings
        confinement = Confinement.of(
            python=settings.python,
            allowed_paths=[os.path.realpath(path) for path in settings.allowed_paths],
            network=network,
            tmp_bytes=settings.limits.tmp_bytes,
        )
        probe(confinement, work)
        return confinement

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return diagnose(self._settings)


def _bounds(wanted: BubblewrapLimits) -> Bounds:
    return Bounds.of(
        memory_bytes=limits.MEMORY_BYTES if wanted.memory_bytes is None else wanted.memory_bytes,
        processes=wanted.processes,
        must_bound_memory=wanted.memory_bytes is not None,
    )
