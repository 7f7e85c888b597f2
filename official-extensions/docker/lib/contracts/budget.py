"""Check that a budget can be kept by one container."""

from harnest.sandbox import SandboxBudget

from ..limits import MEMORY_BESIDE_SCRATCH_BYTES, MIB
from .checks import instance


def check_budget(value: object, option: str) -> SandboxBudget:
    """Return *value* if its scratch space leaves memory to run in.

    Pages of a scratch file system are charged to the container's memory and survive every kill, so a
    full scratch space must not be able to starve the program.

    Raises:
        TypeError: it is not a SandboxBudget.
        ValueError: scratch_bytes + 32 MiB is more than memory_bytes.
    """
    budget = instance(value, option, SandboxBudget)
    if budget.scratch_bytes + MEMORY_BESIDE_SCRATCH_BYTES > budget.memory_bytes:
        raise ValueError(
            f"{option}: scratch_bytes + {MEMORY_BESIDE_SCRATCH_BYTES // MIB} MiB must not be more than "
            "memory_bytes, since what lies in scratch space is charged to memory"
        )
    return budget
