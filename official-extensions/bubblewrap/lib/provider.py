"""The sandbox contract, carried out by sandboxes of ``bwrap``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution.local.provider.frame import LocalProvider

from .tier import BubblewrapTier

if TYPE_CHECKING:
    from .settings import BubblewrapSettings

__all__ = ["BubblewrapSandboxProvider"]


class BubblewrapSandboxProvider(LocalProvider):
    """Runs each program in a sandbox of its own.

    Args:
        settings: The declaration.

    Raises:
        BubblewrapSandboxError: This host can't have such a sandbox, or can't keep a limit.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        ValueError: A path can't be allowed.
    """

    def __init__(self, settings: BubblewrapSettings) -> None:
        super().__init__(settings, BubblewrapTier(settings))
