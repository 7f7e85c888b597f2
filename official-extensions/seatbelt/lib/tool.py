"""The program ``sandbox-exec`` of macOS, tried and started by one absolute path."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from harnest.execution.local import Refusal

__all__ = ["TOOL", "check_tool"]

TOOL: Final = "/usr/bin/sandbox-exec"
"""Part of the system, whose volume is sealed: never looked for on a PATH."""


def check_tool(system: str = sys.platform) -> None:
    """Return if this host has the program.

    Args:
        system: As :data:`sys.platform` names it.

    Raises:
        Refusal: This is no macOS, or it is not there.
    """
    if system != "darwin":
        raise Refusal(
            f"wrong system: seatbelt needs macOS, and this is {system}",
            "Use the bubblewrap extension on Linux, or the docker extension.",
        )
    if not Path(TOOL).is_file() or not os.access(TOOL, os.X_OK):
        raise Refusal(
            f"{TOOL} is not there or can't be run", "Use the docker extension on this system."
        )
