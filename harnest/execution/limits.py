"""Every bound of execution backends, by name and with its unit."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

TIMEOUT_SECONDS: Final = 30
"""Deadline of a call unless the configuration names one, in seconds."""
MEMORY_MB: Final = 512
"""Memory of a program unless the configuration says otherwise, in MiB."""
CPU_SECONDS: Final = 60
"""CPU time of each process of a program unless the configuration says otherwise, in seconds."""
FILE_MB: Final = 100
"""Largest file that a program may write unless the configuration says otherwise, in MiB."""
OUTPUT_BYTES: Final = 1 * MIB
"""Most bytes kept of both output streams together, unless the configuration says otherwise."""
OUTPUT_BYTES_MAXIMUM: Final = 1 * GIB
"""Largest output budget that can be configured, in bytes."""
SECONDS_MAXIMUM: Final = 1_000_000_000
"""Largest number of seconds that can be configured: beyond it clocks of the system overflow."""
MEGABYTES_MAXIMUM: Final = 1 << 30
"""Largest number of MiB that can be configured: beyond it sizes in bytes overflow."""

CODE_BYTES: Final = 16 * MIB
"""Most bytes of one Python program, in UTF-8."""
COMMAND_BYTES: Final = 128 * KIB - 1
"""Most bytes of one shell command, in UTF-8: Linux takes no longer argument of a program."""
STDIN_BYTES: Final = 64 * MIB
"""Most bytes of input for one call."""
ALLOWED_PATHS: Final = 64
"""Most paths of one configuration that programs may read beside the work directory."""
SOCKET_TABLE_BYTES: Final = 32 * MIB
"""Longest table of Unix sockets that is looked through, in bytes: some 300000 sockets."""
ENVIRONMENT_ENTRIES: Final = 64
"""Most variables that a configuration adds to a program's environment."""
ENVIRONMENT_NAME_CHARACTERS: Final = 128
"""Most characters of such a variable's name."""
ENVIRONMENT_VALUE_BYTES: Final = 8 * KIB
"""Most bytes of such a variable's value, in UTF-8."""
PATH_BYTES: Final = 4096
"""Most bytes of a path, as in the kernel's ``PATH_MAX``."""
PATH_LINKS: Final = 40
"""Most symbolic links followed in one path, as the kernel does."""

INPUT_FILES: Final = 64
"""Most files handed to one execution, and most handed back."""
FILES_BYTES: Final = 16 * MIB
"""Most bytes of all files handed to one execution, and of all handed back."""
FILE_NAME_BYTES: Final = 512
"""Most bytes of such a file's relative name, in UTF-8."""
FILE_NAME_DEPTH: Final = 16
"""Most components of such a name."""

SNAPSHOT_ENTRIES: Final = 50_000
"""Most entries of the work directory looked at before and after a call to tell what it made."""
SNAPSHOT_DEPTH: Final = 64
"""Deepest folder of the work directory that is looked at for this."""
DENIALS: Final = 1_000
"""Most denials reported of one call."""

CANCEL_SECONDS: Final = 10.0
"""Longest that a cancelled task waits for its program's end, in seconds."""
OVERDUE_SECONDS: Final = 10.0
"""Longest that a tier may take beyond a call's deadline before it is given up, in seconds."""
START_SECONDS: Final = 120
"""Longest that a tier may take to be ready, in seconds."""
CLOSE_SECONDS: Final = 10
"""Longest wait in closing a workspace, in seconds: for running calls, then for its tier."""
FOLDER_SECONDS: Final = 60
"""Longest that making or removing a work directory may take, in seconds."""
LISTENER_SECONDS: Final = 5.0
"""Longest that one asynchronous listener is waited for, in seconds."""
