"""How a workspace is configured; everything is checked before anything is started."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from harnest.execution import checks, limits
from harnest.execution.errors import UnsupportedPromiseError

__all__ = ["TIERS", "WorkspaceConfig"]

TIERS: Final = ("bubblewrap", "docker", "process", "seatbelt")
"""The tiers that are chosen by their plain names."""
_INSIDE: Final = ("bubblewrap", "docker")
"""Those of them in which file tools can work."""
_FOREIGN: Final = re.compile(r"extension:(?P<name>[a-z](?:_?[a-z0-9])*)", re.ASCII)
_IMAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceConfig:
    """A tier and the bounds of what runs in it.

    Attributes:
        tier: ``process``, ``docker``, ``bubblewrap`` or ``seatbelt``; ``extension:NAME`` for the
            tier of another extension. There is no default: it decides what programs can reach.
        timeout_seconds: Deadline of each call in seconds, at least 1.
        max_memory_mb: Memory of a program in MiB, at least 1.
        max_cpu_seconds: CPU time of each process of a program in seconds, at least 1.
        max_file_size_mb: Largest file that a program may write in MiB, at least 1.
        allowed_paths: Paths of this host that programs may read beside the work directory; they
            exist, and are kept as their real paths. Refused for ``process``, where they would
            restrict nothing, and so is ``/``.
        network_enabled: Whether programs have a network; None for what the tier has by itself:
            that of the host for ``process``, none for the others.
        file_tools: ``host``: tools that work on files do so on this host, below the work
            directory; ``backend``: inside, by commands, where the tier can (``docker``,
            ``bubblewrap``).
        directory: An existing work directory, which stays; None for a new private one that is
            removed at the end.
        shell: Absolute path of the shell that commands are run by, as ``SHELL -c COMMAND``.
        environment: Variables added to the clean environment of programs, at most 64.
        python: Absolute path, inside, of the interpreter for Python; None for the tier's own.
        image: Image that programs run in, for ``docker``; None for its default.
        max_output_bytes: Most bytes kept of both output streams together, 1 to 1 GiB; a program
            that writes more is ended.
        limit_address_space: Whether local tiers also hold each process to ``max_memory_mb`` of
            address space. Node and other runtimes can't start then.

    Raises:
        TypeError: A sequence, mapping or path has the wrong type.
        UnsupportedPromiseError: The tier can't keep what is asked for.
        ValueError: Another value is out of its bounds; the message names field, rule and remedy.
    """

    tier: str
    timeout_seconds: int = limits.TIMEOUT_SECONDS
    max_memory_mb: int = limits.MEMORY_MB
    max_cpu_seconds: int = limits.CPU_SECONDS
    max_file_size_mb: int = limits.FILE_MB
    allowed_paths: Sequence[str | os.PathLike[str]] = ()
    network_enabled: bool | None = None
    file_tools: Literal["host", "backend"] = "host"
    directory: Path | None = None
    shell: str = "/bin/sh"
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    python: str | None = None
    image: str | None = None
    max_output_bytes: int = limits.OUTPUT_BYTES
    limit_address_space: bool = False

    def __post_init__(self) -> None:
        _check_tier(self.tier)
        for name in ("timeout_seconds", "max_cpu_seconds"):
            checks.number(name, getattr(self, name), limits.SECONDS_MAXIMUM)
        for name in ("max_memory_mb", "max_file_size_mb"):
            checks.number(name, getattr(self, name), limits.MEGABYTES_MAXIMUM)
        checks.number("max_output_bytes", self.max_output_bytes, limits.OUTPUT_BYTES_MAXIMUM)
        checks.choice("network_enabled", self.network_enabled, (True, False, None))
        checks.choice("limit_address_space", self.limit_address_space, (True, False))
        checks.choice("file_tools", self.file_tools, ("host", "backend"))
        checks.absolute("shell", self.shell)
        if self.python is not None:
            checks.absolute("python", self.python)
        object.__setattr__(self, "environment", checks.variables(self.environment))
        object.__setattr__(self, "allowed_paths", checks.readable_paths(self.allowed_paths))
        if self.directory is not None:
            object.__setattr__(self, "directory", checks.work_directory(self.directory))
        self._check_promises()

    @property
    def tier_name(self) -> str:
        """Name of the extension whose tier this is."""
        return self.tier.removeprefix("extension:")

    def _check_promises(self) -> None:
        tier = self.tier_name  # whichever way it was named
        if tier == "process" and self.allowed_paths:
            raise UnsupportedPromiseError(
                "allowed_paths can't be kept by the tier 'process': its programs read whatever "
                "this user can. Leave it out, or take docker, bubblewrap or seatbelt."
            )
        if self.file_tools == "backend" and tier in TIERS and tier not in _INSIDE:
            raise UnsupportedPromiseError(
                f"file_tools='backend' can't be kept by the tier {tier!r}: it has no file "
                f"system of its own. Take {' or '.join(_INSIDE)}, or file_tools='host'."
            )
        if self.image is not None:
            _check_image(tier, self.image)


def _check_tier(value: object) -> None:
    if value == "openshell":
        raise ValueError(
            "tier must name what isolates programs on this host; OpenShell is a backend of its "
            "own: use OpenShellBackend of harnest.extensions.openshell"
        )
    if not isinstance(value, str) or (value not in TIERS and not _FOREIGN.fullmatch(value)):
        shown = repr(value)[:80]
        raise ValueError(
            f"tier must be one of {', '.join(TIERS)}, or extension:NAME for that of another "
            f"extension, not {shown}"
        )


def _check_image(tier: str, image: object) -> None:
    if tier in TIERS and tier != "docker":
        raise UnsupportedPromiseError(
            f"image can't be kept by the tier {tier!r}, whose programs see the system of this "
            "host. Leave it out, or take docker."
        )
    if not isinstance(image, str) or not _IMAGE.fullmatch(image):
        raise ValueError("image must be the name of an image, such as 'python:3.12-slim'")
