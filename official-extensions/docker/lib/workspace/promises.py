"""What of a configuration the tier takes from itself: image and memory."""

import os
from collections.abc import Mapping

from harnest.execution import UnsupportedPromiseError, WorkspaceConfig

from ..limits import (
    MEMORY_BESIDE_SCRATCH_BYTES,
    MIB,
    WORK_IMAGE,
    WORK_SCRATCH_BYTES,
    WORK_SCRATCH_BYTES_MIN,
)

_VARIABLE = "HARNEST_DOCKER_IMAGE"


def image_of(
    config: WorkspaceConfig, environment: Mapping[str, str] = os.environ
) -> tuple[str, str]:
    """Return the image's name, and what to do when the daemon doesn't have it."""
    if config.image is not None:
        return config.image, "Pull or build the configured image there; the tier never does"
    named = environment.get(_VARIABLE)
    if named:
        return named, f"Pull or build the image that {_VARIABLE} names; the tier never does"
    remedy = f"Run 'docker pull {WORK_IMAGE}', or name another by image= or {_VARIABLE}"
    return WORK_IMAGE, remedy


def memory_of(config: WorkspaceConfig) -> tuple[int, int]:
    """Return bytes of memory, and how many of them scratch space may take.

    Raises:
        UnsupportedPromiseError: too little for a container with scratch space.
    """
    memory = config.max_memory_mb * MIB
    least = MEMORY_BESIDE_SCRATCH_BYTES + WORK_SCRATCH_BYTES_MIN
    if memory < least:
        raise UnsupportedPromiseError(
            f"max_memory_mb is {config.max_memory_mb}, and the tier 'docker' needs at least "
            f"{least // MIB}: what lies in scratch space is charged to memory too."
        )
    return memory, min(WORK_SCRATCH_BYTES, memory - MEMORY_BESIDE_SCRATCH_BYTES)
