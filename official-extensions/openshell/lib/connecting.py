"""The way to a gateway: the SDK, imported at the first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .gateway.port import Gateway
    from .settings import SandboxSettings

__all__ = ["by_sdk"]


def by_sdk(settings: SandboxSettings) -> Gateway:
    """Return a connection by the SDK; nothing is sent yet.

    Args:
        settings: Which gateway, and what must not appear in its errors.

    Raises:
        OpenShellUnavailableError: The SDK can't be used, or there is no such gateway.
    """
    from .gateway.sdk import connect  # noqa: PLC0415 - gRPC takes a while, a declaration none of it

    return connect(settings.connection, settings.secrets.redact)
