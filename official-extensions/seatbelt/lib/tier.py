"""How programs of a seatbelt sandbox are started: each under a profile of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution.local import ProgramBounds
from harnest.execution.local.provider.confined import ConfinedTier

from .confinement import Confinement
from .diagnosis import diagnose
from .errors import SeatbeltSandboxError
from .probe import probe
from .settings import PREFIX

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.sandbox.optional import SandboxDiagnosis

    from .settings import SeatbeltSettings

__all__ = ["SeatbeltTier"]


class SeatbeltTier(ConfinedTier):
    """Starts programs in sandboxes, having tried one.

    Args:
        settings: The declaration.

    Raises:
        SandboxCancelledError: The call that needs it was cancelled.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        SeatbeltSandboxError: This host can't have such a sandbox, or one did not keep a promise.
        ValueError: A path can't be allowed.
    """

    name = "seatbelt"
    prefix = PREFIX
    failure = SeatbeltSandboxError

    def __init__(self, settings: SeatbeltSettings) -> None:
        self._settings = settings
        super().__init__(settings, ProgramBounds())

    def tried(self, work: Path, *, network: bool) -> Confinement:
        """Return a sandbox that kept every promise; see the base class."""
        settings = self._settings
        confinement = Confinement.of(
            python=settings.python, allowed=settings.allowed_paths, network=network
        )
        probe(confinement, work)
        return confinement

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return diagnose(self._settings)
