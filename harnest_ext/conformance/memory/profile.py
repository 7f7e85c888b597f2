"""The memory provider as a subject of the provider suite: its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harnest_ext import limits
from harnest_ext.conformance.features import Feature, ProviderProfile
from harnest_ext.conformance.memory.provider import MemoryProvider

if TYPE_CHECKING:
    from harnest_ext.conformance.features import Wanted

__all__ = ["MEMORY_PROFILE"]

_WHY_NOT: Final = {
    Feature.PROCESS: "programs run in a thread of this process",
    Feature.DESCENDANTS: "programs can't start processes",
    Feature.LIMIT_PROCESSES: "programs can't start processes",
    Feature.LIMIT_MEMORY: "programs share this process's memory",
}


def _make(wanted: Wanted) -> MemoryProvider:
    return MemoryProvider(
        scope=wanted.scope or "execution",
        max_output_bytes=wanted.max_output_bytes or limits.MEMORY_OUTPUT_BYTES,
    )


MEMORY_PROFILE: Final = ProviderProfile(
    name="memory", make=_make, supports=frozenset(Feature) - set(_WHY_NOT), why_not=_WHY_NOT
)
