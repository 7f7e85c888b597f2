"""Every bound of the process extension, by name and with its unit.

Those of every sandbox of local processes are in :mod:`harnest.execution.local.provider.limits`.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

ADDRESS_SPACE_BYTES_MINIMUM: Final = 64 * MIB
"""Least virtual memory that a declaration may limit a process to, in bytes."""
OPEN_FILES: Final = 1024
"""Open files of each process of a command in a workspace."""
PROBE_BYTES: Final = 4 * KIB
"""Most bytes that the probe of network isolation may write."""
PROBE_SECONDS: Final = 10
"""Deadline of the probe of network isolation, in seconds."""
