"""Every bound of the seatbelt extension, by name and with its unit.

Those of every sandbox of local processes are in :mod:`harnest.execution.local.provider.limits`.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

ADDRESS_SPACE_BYTES_MINIMUM: Final = 64 * MIB
"""Least virtual memory that a declaration may limit a process to, in bytes."""
LINKS: Final = 32
"""Most symbolic links followed from an interpreter's path to its file, as macOS does."""
PATH_BYTES: Final = 1024
"""``MAXPATHLEN`` of macOS, in bytes."""
