"""What several tests of the OpenShell extension share."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["until"]


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something came true that nothing tells of; fail if it does not."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        await asyncio.sleep(0.02)
