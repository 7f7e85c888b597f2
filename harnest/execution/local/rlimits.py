"""Wanted limits held against what this process itself may have."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.execution.local.program import Limits

__all__ = ["effective"]


def effective(wanted: Mapping[str, int]) -> Limits:
    """Return number, soft and hard value of each limit, never above the hard limit here.

    Args:
        wanted: Limits by their names in :mod:`resource`.
    """
    return tuple(_bounded(name, value) for name, value in wanted.items())


def _bounded(name: str, value: int) -> tuple[int, int, int]:
    number = getattr(resource, name)
    hard = resource.getrlimit(number)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    # A second between the two: the process gets SIGXCPU, which says why, before SIGKILL.
    spare = 1 if name == "RLIMIT_CPU" and bound != hard else 0
    return number, bound, bound + spare
