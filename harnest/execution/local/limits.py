"""Every bound of running processes of this host, by name and with its unit."""

from typing import Final

KIB: Final = 1024

PROCESSES: Final = 256
"""Processes and threads of a program unless a tier says otherwise."""
COUNT_SECONDS: Final = 5.0
"""How long a count of the user's processes is relied on, in seconds."""
READ_BYTES: Final = 256 * KIB
"""Bytes taken from a pipe at once."""
REPORT_BYTES: Final = 4 * KIB
"""Most bytes that the supervisor may report."""
POLL_SECONDS: Final = 0.05
"""Longest wait before cancellation and deadline are looked at again, in seconds."""
STALLED_SECONDS: Final = 0.25
"""Longest wait for a supervisor that was told to stop, in seconds; then the host kills."""
FORCE_SECONDS: Final = 5.0
"""Longest that the host kills a program's processes and waits for their end, in seconds."""
INTERPRETER_SECONDS: Final = 10.0
"""Longest that an interpreter may take to say where it is installed, in seconds."""
INTERPRETER_BYTES: Final = 64 * KIB
"""Most bytes of what it says."""
PROBE_SECONDS: Final = 20
"""Deadline of the probe that a confinement is built with, in seconds."""
PROBE_BYTES: Final = 64 * KIB
"""Most bytes that such a probe reports."""
PROBE_CONNECT_SECONDS: Final = 2.0
"""Longest that such a probe tries to reach a listener of this host, in seconds."""
LAUNCHER_CHARACTERS: Final = 300
"""Most characters of a launcher's last line that are told."""
