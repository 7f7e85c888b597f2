"""Every bound of the sandbox contract, by name and with its unit."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

METADATA_BYTES: Final = 64 * KIB
"""Most bytes of one metadata mapping, as compact JSON in UTF-8."""
METADATA_DEPTH: Final = 32
"""Deepest nesting of one metadata mapping; the mapping itself is level 1."""

BUDGET_CPU_MINIMUM: Final = 0.01
"""Least CPU of a budget, in CPUs."""
BUDGET_MEMORY_MINIMUM: Final = 6 * MIB
"""Least memory of a budget, in bytes: container engines refuse less."""

HOST_CHARACTERS: Final = 253
"""Most characters of a DNS name without its trailing dot (RFC 1035, 2.3.4)."""
PORT_MAXIMUM: Final = 65_535
"""Largest TCP or UDP port."""

LOCK_SLICE_SECONDS: Final = 0.05
"""Longest single wait for a lock: within it a queued call notices that it was cancelled."""
DEADLINE_SECONDS: Final = 1_000_000_000
"""Farthest deadline, in seconds (32 years): what is asked for beyond counts as this."""
CLEANUP_SECONDS: Final = 5
"""Deadline of a cleanup scope that names none, in seconds."""
CLOSE_WAIT_SECONDS: Final = 10
"""Longest wait in closing a managed sandbox, in seconds: for executions to end by themselves, for
cancelled ones to release what they hold, and for the provider's own close."""
CANCEL_WAIT_SECONDS: Final = 10
"""Longest that a cancelled task waits for its execution to clean up, in seconds."""
