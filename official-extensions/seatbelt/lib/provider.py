"""The sandbox contract, carried out by sandboxes of macOS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution.local.provider.frame import LocalProvider

from .tier import SeatbeltTier

if TYPE_CHECKING:
    from .settings import SeatbeltSettings

__all__ = ["SeatbeltSandboxProvider"]


class SeatbeltSandboxProvider(LocalProvider):
    """Runs each program in a sandbox of its own.

    Args:
        settings: The declaration.

    Raises:
        SeatbeltSandboxError: This host can't have such a sandbox, or one did not keep a promise.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        ValueError: A path can't be allowed.
    """

    def __init__(self, settings: SeatbeltSettings) -> None:
        super().__init__(settings, SeatbeltTier(settings))
