"""How long servers may take; apart from whatever asks them, which local work never loads."""

from __future__ import annotations

from dataclasses import dataclass

from harnest_ext import limits

__all__ = ["Timing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long a server may take; all in seconds.

    Attributes:
        connect: For a connection.
        idle: For the next bytes.
        page: For a whole page, redirects included.
        wheel: For a whole wheel, likewise.
    """

    connect: float = limits.CONNECT_SECONDS
    idle: float = limits.IDLE_SECONDS
    page: float = limits.PAGE_SECONDS
    wheel: float = limits.DOWNLOAD_SECONDS
