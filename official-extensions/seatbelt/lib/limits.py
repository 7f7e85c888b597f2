"""Every bound of the seatbelt extension, by name and with its unit.

Those of every sandbox of local processes are in :mod:`harnest.execution.local.provider.limits`.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

ADDRESS_SPACE_BYTES_MINIMUM: Final = 64 * MIB
"""Least virtual memory that a declaration may limit a process to, in bytes."""
INTERPRETER_SECONDS: Final = 10.0
"""Longest that an interpreter may take to say where it is installed, in seconds."""
INTERPRETER_BYTES: Final = 64 * KIB
"""Most bytes of what it says."""
LINKS: Final = 32
"""Most symbolic links followed from an interpreter's path to its file, as macOS does."""
PATH_BYTES: Final = 1024
"""``MAXPATHLEN`` of macOS, in bytes."""
PROBE_SECONDS: Final = 20
"""Deadline of the probe that a sandbox is built with, in seconds."""
PROBE_BYTES: Final = 64 * KIB
"""Most bytes that the probe reports."""
PROBE_CONNECT_SECONDS: Final = 2.0
"""Longest that the probe tries to reach a listener of this host, in seconds."""
