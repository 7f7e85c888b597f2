"""What a sandbox of local processes is declared with, checked before anything is started."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from harnest.execution.local.provider import checks, limits
from harnest.sandbox import SandboxNetworkPolicy

__all__ = ["LocalLimits", "LocalScope", "LocalSettings"]


class LocalScope(enum.StrEnum):
    """For how long a work directory lives and whose it is. Processes never outlive a call."""

    EXECUTION = "execution"
    """A fresh work directory for every call."""
    INVOCATION = "invocation"
    """Kept for the same agent, user, session and invocation."""
    SESSION = "session"
    """Kept for the same agent, user and session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalLimits:
    """What the kernel holds each process of a program to; lowered to the host's hard limits.

    Attributes:
        cpu_seconds: CPU time, at least 1; beyond it the process gets SIGXCPU.
        file_bytes: Size of a file that is written; beyond it writing fails.
        open_files: Open descriptors, at least 16.

    Raises:
        ValueError: A value is no int, or out of bounds.
    """

    cpu_seconds: int = limits.CPU_SECONDS
    file_bytes: int = limits.FILE_BYTES
    open_files: int = limits.OPEN_FILES

    def __post_init__(self) -> None:
        checks.number("cpu_seconds", self.cpu_seconds, 1)
        checks.number("file_bytes", self.file_bytes, 1)
        checks.number("open_files", self.open_files, 16)

    def named(self) -> dict[str, int]:
        """Return the limits by their names in the ``resource`` module."""
        return {
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NOFILE": self.open_files,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """One declaration, complete.

    Attributes:
        network_policy: What programs may reach; None for what the tier has by itself.
        timeout_seconds: All-in deadline of a call.
        python: Absolute path of the interpreter that runs programs, Python 3.8 or newer.
        environment: Variables added to the program's otherwise clean environment.
        inherit: Names of variables taken over from Harnest's own environment, where set.
        scope: Life of the work directory.
        max_scopes: Most retained work directories; the least recently used goes first.
        max_output_bytes: Most bytes kept of both streams together; more ends the program.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
    """

    network_policy: SandboxNetworkPolicy | None = None
    timeout_seconds: int = limits.TIMEOUT_SECONDS
    python: str = field(default_factory=lambda: sys.executable)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    inherit: tuple[str, ...] = ()
    scope: LocalScope = LocalScope.EXECUTION
    max_scopes: int = limits.SCOPES
    max_output_bytes: int = limits.OUTPUT_BYTES

    def __post_init__(self) -> None:
        checks.typed("network_policy", self.network_policy, (SandboxNetworkPolicy, type(None)))
        object.__setattr__(self, "scope", LocalScope(self.scope))
        checks.number("timeout_seconds", self.timeout_seconds, 1)
        checks.number("max_scopes", self.max_scopes, 1, limits.SCOPES_MAXIMUM)
        checks.number("max_output_bytes", self.max_output_bytes, 1, limits.OUTPUT_BYTES_MAXIMUM)
        checks.python_path(self.python)
        object.__setattr__(self, "environment", checks.variables(self.environment))
        object.__setattr__(self, "inherit", checks.names(self.inherit))

    def inherited(self) -> dict[str, str]:
        """Return the variables beside a tier's own: those taken over, and those declared."""
        found = {name: os.environ[name] for name in self.inherit if name in os.environ}
        return found | dict(self.environment)

    def places(self) -> str:
        """Return the folders that programs look for commands in, as ``PATH`` holds them."""
        places = (os.path.dirname(self.python), "/usr/local/bin", "/usr/bin", "/bin")  # noqa: PTH120 - text is wanted
        return os.pathsep.join(dict.fromkeys(places))
