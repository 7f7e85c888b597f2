"""One pass through a real gateway: only where OPENSHELL_GATEWAY names one.

OPENSHELL_GATEWAY=name scripts/test official-extensions/openshell/_tests/test_real_gateway.py
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest
from harnest_extension_openshell.extension import OpenShellBackend, OpenShellConfig

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not os.environ.get("OPENSHELL_GATEWAY"), reason="OPENSHELL_GATEWAY names no gateway"
)


def test_a_real_gateway_keeps_the_promises_that_can_be_seen_from_outside(project: Path) -> None:
    """Make, copy, run, time out, deny, bring back, delete - and a second start finds nothing."""

    async def main() -> None:
        config = OpenShellConfig(
            project=project,
            image=os.environ.get("OPENSHELL_TEST_IMAGE", ""),
            timeout_seconds=60,
        )
        async with OpenShellBackend(config) as backend:
            name = backend.sandbox_name
            result = await backend.execute_command("cat 'in\nput'; echo out >'out\nput'; exit 124")
            assert (result.stdout, result.exit_code, result.timed_out) == ("content", 124, False)
            result = await backend.execute_command("sleep 300 & sleep 301", timeout=2)
            assert result.timed_out
            left = await backend.execute_command("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
            assert "sleep 30" not in left.stdout
            reach = "import urllib.request as r; r.urlopen('https://example.com', timeout=20)"
            result = await backend.execute(reach)
            assert result.exit_code != 0
            assert result.denials
        again = OpenShellBackend(
            OpenShellConfig(session_id=config.session_id, owner=config.owner, attach=False)
        )
        await again.start()
        assert again.sandbox_name == name
        await again.close()

    (project / "in\nput").write_text("content")
    asyncio.run(main())
    assert (project / "out\nput").read_text() == "out\n"
