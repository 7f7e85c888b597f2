"""Every bound of the sandbox contract over local processes, by name and with its unit."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

TIMEOUT_SECONDS: Final = 300
"""Deadline of an execution unless the declaration names one, in seconds."""
OUTPUT_BYTES: Final = 1 * MIB
"""Most bytes kept of both output streams together, unless the declaration says otherwise."""
OUTPUT_BYTES_MAXIMUM: Final = 1 * GIB
"""Largest output budget that can be declared, in bytes."""
SCOPES: Final = 8
"""Retained work directories unless the declaration says otherwise."""
SCOPES_MAXIMUM: Final = 1024
"""Most retained work directories that can be declared."""

CPU_SECONDS: Final = 300
"""CPU time of each process of a program unless the declaration says otherwise, in seconds."""
FILE_BYTES: Final = 100 * MIB
"""Largest file that a program may write unless the declaration says otherwise, in bytes."""
OPEN_FILES: Final = 1024
"""Open files of each process of a program unless the declaration says otherwise."""

ENVIRONMENT_ENTRIES: Final = 64
"""Most variables that a declaration adds to a program's environment."""
ENVIRONMENT_NAME_CHARACTERS: Final = 128
"""Most characters of such a variable's name."""
ENVIRONMENT_VALUE_BYTES: Final = 8 * KIB
"""Most bytes of such a variable's value, in UTF-8."""

OUTPUT_ENTRIES: Final = 10_000
"""Most directory entries looked at below ``outputs/`` after an execution."""

CLOSE_SECONDS: Final = 10.0
"""Longest that closing a provider waits for its running executions, in seconds."""
FOREVER: Final = 1_000_000_000
"""Stands for "no deadline of its own" where a smaller one is looked for, in seconds."""
