"""What a process sandbox is declared with, checked before anything is started."""

from __future__ import annotations

import enum
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from harnest.sandbox import SandboxNetworkPolicy

from . import limits

__all__ = ["ProcessLimits", "ProcessScope", "ProcessSettings"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class ProcessScope(enum.StrEnum):
    """For how long a work directory lives and whose it is. Processes never outlive a call."""

    EXECUTION = "execution"
    """A fresh work directory for every call."""
    INVOCATION = "invocation"
    """Kept for the same agent, user, session and invocation."""
    SESSION = "session"
    """Kept for the same agent, user and session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """What the kernel holds each process of a program to; lowered to the host's hard limits.

    Attributes:
        cpu_seconds: CPU time, at least 1; beyond it the process gets SIGXCPU.
        file_bytes: Size of a file that is written; beyond it writing fails.
        open_files: Open descriptors, at least 16.
        processes: Processes and threads of the whole program, at least 1, held by a control group;
            refused when the sandbox is built where none can be made. None for 256, held as well as
            the host lets us.
        address_space_bytes: Virtual memory, at least 64 MiB; None for no limit, since some
            runtimes reserve far more than they use.

    Raises:
        ValueError: A value is no int, or out of bounds.
    """

    cpu_seconds: int = limits.CPU_SECONDS
    file_bytes: int = limits.FILE_BYTES
    open_files: int = limits.OPEN_FILES
    processes: int | None = None
    address_space_bytes: int | None = None

    def __post_init__(self) -> None:
        _int("cpu_seconds", self.cpu_seconds, 1, None)
        _int("file_bytes", self.file_bytes, 1, None)
        _int("open_files", self.open_files, 16, None)
        if self.processes is not None:
            _int("processes", self.processes, 1, None)
        if self.address_space_bytes is not None:
            _int("address_space_bytes", self.address_space_bytes, 64 * limits.MIB, None)

    def named(self) -> dict[str, int]:
        """Return the limits by their names in the ``resource`` module."""
        wanted = {
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NOFILE": self.open_files,
        }
        if self.address_space_bytes is not None:
            wanted["RLIMIT_AS"] = self.address_space_bytes
        return wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSettings:
    """One declaration, complete.

    Attributes:
        network_policy: ``unrestricted()``, ``none()`` where the host can enforce it, or None,
            which claims nothing.
        timeout_seconds: All-in deadline of a call.
        python: Absolute path of the interpreter that runs programs, Python 3.8 or newer.
        environment: Variables added to the program's otherwise clean environment.
        inherit: Names of variables taken over from Harnest's own environment, where set.
        scope: Life of the work directory.
        max_scopes: Most retained work directories; the least recently used goes first.
        max_output_bytes: Most bytes kept of both streams together; more ends the program.
        limits: Limits of each process.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
    """

    network_policy: SandboxNetworkPolicy | None = None
    timeout_seconds: int = limits.TIMEOUT_SECONDS
    python: str = field(default_factory=lambda: sys.executable)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    inherit: tuple[str, ...] = ()
    scope: ProcessScope = ProcessScope.EXECUTION
    max_scopes: int = limits.SCOPES
    max_output_bytes: int = limits.OUTPUT_BYTES
    limits: ProcessLimits = field(default_factory=ProcessLimits)

    def __post_init__(self) -> None:
        _typed("network_policy", self.network_policy, (SandboxNetworkPolicy, type(None)))
        _typed("limits", self.limits, (ProcessLimits,))
        object.__setattr__(self, "scope", ProcessScope(self.scope))
        _int("timeout_seconds", self.timeout_seconds, 1, None)
        _int("max_scopes", self.max_scopes, 1, limits.SCOPES_MAXIMUM)
        _int("max_output_bytes", self.max_output_bytes, 1, limits.OUTPUT_BYTES_MAXIMUM)
        _check_python(self.python)
        object.__setattr__(self, "environment", _environment(self.environment))
        object.__setattr__(self, "inherit", _names(self.inherit))

    def variables(self, work: str) -> dict[str, str]:
        """Return a program's whole environment.

        Args:
            work: Its work directory, which is its home and its place for temporary files too.
        """
        places = (os.path.dirname(self.python), "/usr/local/bin", "/usr/bin", "/bin")  # noqa: PTH120 - text is wanted
        base = {"PATH": os.pathsep.join(places), "LANG": "C.UTF-8", "HOME": work, "TMPDIR": work}
        inherited = {name: os.environ[name] for name in self.inherit if name in os.environ}
        return base | inherited | dict(self.environment)


def _int(name: str, value: object, least: int, most: int | None) -> None:
    bound = f"at least {least}" if most is None else f"from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be an int {bound}, not {type(value).__name__}")  # noqa: TRY004 - a scalar of the contract: ValueError
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name} must be {bound}, not {value}")


def _typed(name: str, value: object, types: tuple[type, ...]) -> None:
    if not isinstance(value, types):
        names = " or ".join("None" if item is type(None) else item.__name__ for item in types)
        raise TypeError(f"{name} must be {names}, not {type(value).__name__}")


def _check_python(value: object) -> None:
    _typed("python", value, (str,))
    if not isinstance(value, str) or "\0" in value or not os.path.isabs(value):  # noqa: PTH117 - text is wanted
        raise ValueError("python must be the absolute path of an interpreter")


def _environment(value: object) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise TypeError(f"environment must be a mapping, not {type(value).__name__}")
    if len(value) > limits.ENVIRONMENT_ENTRIES:
        raise ValueError(f"environment has more than {limits.ENVIRONMENT_ENTRIES} entries")
    for name, text in value.items():
        _check_name(name)
        if not isinstance(text, str) or "\0" in text or not _encodes(text):
            raise ValueError(
                f"the value of environment variable {name} must be text without NUL of at most "
                f"{limits.ENVIRONMENT_VALUE_BYTES} bytes"
            )
    return MappingProxyType(dict(value))


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError(f"inherit must be a list or tuple of names, not {type(value).__name__}")
    for name in value:
        _check_name(name)
    return tuple(dict.fromkeys(value))


def _check_name(name: object) -> None:
    fits = isinstance(name, str) and len(name) <= limits.ENVIRONMENT_NAME_CHARACTERS
    if not fits or not _NAME.fullmatch(str(name)):
        raise ValueError(
            "the name of an environment variable must be letters, digits and underscores, at most "
            f"{limits.ENVIRONMENT_NAME_CHARACTERS}, not starting with a digit"
        )


def _encodes(text: str) -> bool:
    try:
        return len(text.encode()) <= limits.ENVIRONMENT_VALUE_BYTES
    except UnicodeEncodeError:
        return False
