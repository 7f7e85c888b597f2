"""From a workspace's configuration and calls to what a local program is run with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from harnest.execution.config import WorkspaceConfig

__all__ = ["OPEN_FILES", "command_line", "named_limits"]

OPEN_FILES: Final = 1024
"""Open files of each process of a call."""
_MIB: Final = 1 << 20


def command_line(shell: str, command: str) -> tuple[str, ...]:
    """Return the command line that runs a command by a shell.

    Args:
        shell: Path of the shell.
        command: Text of the command, not empty.
    """
    # Its beginning would be taken for an option by some shells.
    return (shell, "-c", f" {command}" if command[0] in "-+" else command)


def named_limits(config: WorkspaceConfig) -> dict[str, int]:
    """Return the limits of each process of a call, by their names in ``resource``.

    Args:
        config: The workspace's configuration.
    """
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": config.max_cpu_seconds,
        "RLIMIT_FSIZE": config.max_file_size_mb * _MIB,
        "RLIMIT_NOFILE": OPEN_FILES,
    }
    if config.limit_address_space:
        wanted["RLIMIT_AS"] = config.max_memory_mb * _MIB
    return wanted
