"""What the commands refuse by themselves, beyond what their layers refuse."""

from __future__ import annotations

from typing import Final

from harnest_ext.rule import Rule

__all__ = ["ALL", "QUICKSTART_RUN"]

QUICKSTART_RUN: Final = Rule(
    id="quickstart.run",
    kind="sandbox-failed",
    why="The newcomer's first program has to run to its end.",
    example="a Docker image whose Python is too old",
    fix="See what is missing with: harnest sandbox doctor",
)

ALL: Final = (QUICKSTART_RUN,)
"""Every rule of this module, for the reference."""
