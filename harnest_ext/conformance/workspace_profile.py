"""What a tier of workspaces may offer beyond the plain port, declared by whoever tests it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from harnest.execution import Workspace, WorkspaceConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["WorkspaceFeature", "WorkspaceProfile"]


class WorkspaceFeature(enum.StrEnum):
    """Something that checks need; without it they are reported as unsupported, never as passed."""

    HOST_DIRECTORY = "host-directory"
    """It is a tier of this host: the work directory is a folder here, which the caller may name."""
    DESCENDANTS = "descendants"
    """Whatever a call starts ends with it, in sessions of its own too."""
    LIMIT_CPU = "limit-cpu"
    """``max_cpu_seconds`` is enforced."""
    LIMIT_FILE = "limit-file"
    """``max_file_size_mb`` is enforced."""
    LIMIT_MEMORY = "limit-memory"
    """``max_memory_mb`` is enforced, and reaching it is told."""
    LIMIT_PROCESSES = "limit-processes"
    """A call can't have a thousand processes."""
    NETWORK_OFF = "network-off"
    """``network_enabled=False`` is enforced."""
    ISOLATION = "isolation"
    """Programs neither read nor write files of the host that they were not given."""
    ALLOWED_PATHS = "allowed-paths"
    """``allowed_paths`` can be read and not be written."""
    BACKEND_FILES = "backend-files"
    """``file_tools="backend"``."""
    NODE = "node"
    """Programs find ``node``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceProfile:
    """A tier under test.

    Attributes:
        name: Name in reports.
        options: Options of :class:`~harnest.execution.WorkspaceConfig` that every check takes; at
            least ``tier``.
        supports: What it offers.
        why_not: Reason for a feature that it doesn't offer, for the report.
        owner: Number of a user whom the suite gives work directories of its own to where it runs as
            root, for a tier that refuses those of root; None leaves them root's.
        slack_seconds: How much slower than an idle local process a call may be: added to every
            bound on time.
        make: Makes a workspace of a configuration and ``hooks``; for a class of your own.

    Raises:
        TypeError: An option has a wrong name or type.
        ValueError: The name is blank, or an option is out of its bounds.
    """

    name: str
    options: Mapping[str, Any]
    supports: frozenset[WorkspaceFeature] = frozenset()
    why_not: Mapping[WorkspaceFeature, str] = field(default_factory=dict)
    owner: int | None = None
    slack_seconds: float = 0.0
    make: Callable[..., Workspace] = Workspace

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a profile needs a name")
        WorkspaceConfig(**self.options)
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))
        object.__setattr__(self, "supports", frozenset(map(WorkspaceFeature, self.supports)))
        object.__setattr__(self, "why_not", MappingProxyType(dict(self.why_not)))

    def missing(self, needs: frozenset[enum.StrEnum]) -> str:
        """Return what of ``needs`` it doesn't offer and why, or an empty text."""
        absent = sorted(needs - self.supports)
        return "; ".join(
            f"{feature}: {self.why_not.get(WorkspaceFeature(feature), 'not declared')}"
            for feature in absent
        )
