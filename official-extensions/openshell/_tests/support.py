"""What several tests of the OpenShell extension share."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.server import LocalGateway
    from harnest_extension_openshell.extension import OpenShellBackend

    from harnest.execution import ExecutionResult

__all__ = ["overdue", "until"]

DEADLINES = (1, 2, 4, 8, 16)


async def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something came true that nothing tells of; fail if it does not."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        await asyncio.sleep(0.02)


async def overdue(
    backend: OpenShellBackend, gateway: LocalGateway, command: str
) -> ExecutionResult:
    """Return what comes of a command that makes a file ``begun`` and then meets its deadline.

    Where the file is missing the machine was too slow for the deadline, and gets a longer one.
    """
    for seconds in DEADLINES:
        result = await backend.execute_command(command, timeout=seconds)
        if "begun" in gateway.inside("ls", backend.config.work).split():
            return result
    pytest.fail(f"the command did not begin within {seconds} seconds")
