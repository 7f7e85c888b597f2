"""What a provider may offer beyond the plain contract, declared by whoever puts it to the test."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnest.sandbox import SandboxBackend, SandboxNetworkPolicy

__all__ = ["Feature", "ProviderProfile", "Wanted"]


class Feature(enum.StrEnum):
    """Something that checks need; without it they are reported as unsupported, never as passed."""

    SCRATCH = "scratch"
    """Programs have a directory that they can write to."""
    ENVIRONMENT = "environment"
    """Programs don't see the environment of the process that runs Harnest."""
    PROCESS = "process"
    """Programs run outside of the process that runs Harnest."""
    SIGNALS = "signals"
    """A program that a signal ended is told apart."""
    DESCENDANTS = "descendants"
    """Programs may start processes, and every one of them ends with its program."""
    OUTPUT_LIMIT = "output-limit"
    """``Wanted.max_output_bytes`` is honoured."""
    STREAMING = "streaming"
    """``execute_streaming``."""
    INPUT_FILES = "input-files"
    """Input files arrive; with ``Wanted.files``."""
    OUTPUT_FILES = "output-files"
    """Files under ``outputs/`` come back; with ``Wanted.files``."""
    SCOPE_INVOCATION = "scope-invocation"
    """``Wanted.scope`` ``invocation`` keeps the scratch directory for an invocation."""
    SCOPE_SESSION = "scope-session"
    """``Wanted.scope`` ``session`` keeps the scratch directory for a session."""
    NETWORK_NONE = "network-none"
    """``SandboxNetworkPolicy.none()`` is enforced; with ``Wanted.network_policy``."""
    LIMIT_PROCESSES = "limit-processes"
    """``Wanted.processes`` is enforced."""
    LIMIT_MEMORY = "limit-memory"
    """``Wanted.memory_bytes`` is enforced."""
    INVENTORY = "inventory"
    """``inventory`` and ``prune``."""
    DIAGNOSIS = "diagnosis"
    """``diagnose``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How the provider of one check is to be made; what is None is the provider's own choice.

    Attributes:
        scope: ``execution``, ``invocation`` or ``session``.
        max_output_bytes: Budget of both output streams together.
        network_policy: Policy that it is declared with.
        files: Whether files are exchanged.
        processes: Most processes of a program.
        memory_bytes: Most memory of a program.
    """

    scope: str | None = None
    max_output_bytes: int | None = None
    network_policy: SandboxNetworkPolicy | None = None
    files: bool = False
    processes: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderProfile:
    """A provider under test.

    Attributes:
        name: Name in reports.
        make: Makes a new provider as wanted; the suite closes it.
        supports: What it offers.
        why_not: Reason for a feature that it doesn't offer, for the report.
        slack_seconds: How much slower than an idle local process a call may be: added to every
            bound on time.
    """

    name: str
    make: Callable[[Wanted], SandboxBackend]
    supports: frozenset[Feature] = frozenset()
    why_not: Mapping[Feature, str] = field(default_factory=dict)
    slack_seconds: float = 0.0

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a profile needs a name")
        if not callable(self.make):
            raise TypeError("make must be callable")
        object.__setattr__(self, "supports", frozenset(map(Feature, self.supports)))
        object.__setattr__(self, "why_not", MappingProxyType(dict(self.why_not)))

    def missing(self, needs: frozenset[enum.StrEnum]) -> str:
        """Return what of ``needs`` it doesn't offer and why, or an empty text."""
        absent = sorted(needs - self.supports)
        return "; ".join(
            f"{feature}: {self.why_not.get(Feature(feature), 'not declared')}" for feature in absent
        )
