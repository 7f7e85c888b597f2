"""Every bound of the bubblewrap extension, by name and with its unit.

Those of every sandbox of local processes are in :mod:`harnest.execution.local.provider.limits`.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

MEMORY_BYTES: Final = 512 * MIB
"""Memory of a program unless the declaration says otherwise, in bytes."""
MEMORY_BYTES_MINIMUM: Final = 16 * MIB
"""Least memory that a declaration may limit a program to, in bytes."""
TMP_BYTES: Final = 128 * MIB
"""Most bytes in a program's ``/tmp`` unless the declaration says otherwise; they are memory."""
TMP_BYTES_MINIMUM: Final = 64 * KIB
"""Smallest ``/tmp`` that can be declared, in bytes."""
TMP_BYTES_MAXIMUM: Final = 64 * GIB
"""Largest ``/tmp`` that can be declared, in bytes."""
SHARED_BYTES: Final = 64 * MIB
"""Most bytes in a program's ``/dev/shm``."""
MASK_BYTES: Final = 4 * KIB
"""Size of an empty folder that stands in the place of one of the kernel's, in bytes."""

LINKS: Final = 40
"""Most symbolic links followed from an interpreter's path to its file, as the kernel does."""
VERSION_SECONDS: Final = 10.0
"""Longest that ``bwrap`` may take to say its version, in seconds."""
PROBE_FRESH_SECONDS: Final = 60.0
"""How long a sandbox of the same kind is not tried again, in seconds."""
PROBE_KINDS: Final = 64
"""Most kinds of sandboxes whose last trial is remembered."""

PROCESSES: Final = 256
"""Processes and threads of a program unless the declaration says otherwise."""
