"""What a provider may offer beyond ``execute``; each protocol stands alone.

Absent ones cost a feature, not correctness: without streaming the output comes at the end, without
``aexecute`` a thread runs ``execute``, and the commands say "not offered by this provider".
"""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from harnest.sandbox.request import SandboxRequest
from harnest.sandbox.result import SandboxResult

__all__ = [
    "DiagnosisState",
    "OutputSink",
    "OutputStream",
    "SandboxAsyncProvider",
    "SandboxDiagnosingProvider",
    "SandboxDiagnosis",
    "SandboxInventoryProvider",
    "SandboxPruneReport",
    "SandboxPruningProvider",
    "SandboxResource",
    "SandboxStreamingProvider",
]


class OutputStream(enum.StrEnum):
    """Which of a program's streams a text was written to."""

    STDOUT = "stdout"
    STDERR = "stderr"


OutputSink: TypeAlias = Callable[[OutputStream, str], None]
"""Takes each text as it comes, in the order of its stream, decoded without cutting characters.

It is called from one thread at a time, perhaps another than the caller's. The texts of a stream
joined are what the result holds of it. If it raises, the provider ends the execution.
"""


@runtime_checkable
class SandboxStreamingProvider(Protocol):
    """Hands on output while the program runs."""

    @abstractmethod
    def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> SandboxResult:
        """Run as ``execute`` does, and call ``on_output`` with each piece of output.

        Args:
            request: The program and its bounds.
            on_output: Where the output goes as it comes.

        Returns:
            The result that ``execute`` would return, streams included.
        """
        ...


@runtime_checkable
class SandboxAsyncProvider(Protocol):
    """Executes without a thread per call."""

    @abstractmethod
    async def aexecute(self, request: SandboxRequest) -> SandboxResult:
        """Run as ``execute`` does; cancelling the task ends the program before it returns.

        Args:
            request: The program and its bounds.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxResource:
    """Something that a provider keeps outside of this process.

    Attributes:
        kind: What it is, such as ``container``, ``network``, ``process``, ``directory``.
        resource_id: The provider's own identifier of it.
        owner: Which process holds it, in the provider's words.
        owner_alive: Whether that process still runs; None if it can't be told from here.
        age_seconds: Seconds since it was made; None if unknown.
        state: What it does now, such as ``running``; empty if unknown.
    """

    kind: str
    resource_id: str
    owner: str = ""
    owner_alive: bool | None = None
    age_seconds: float | None = None
    state: str = ""


@runtime_checkable
class SandboxInventoryProvider(Protocol):
    """Knows what exists outside of this process, its own and its siblings'."""

    @abstractmethod
    def inventory(self) -> tuple[SandboxResource, ...]:
        """Return every resource of this provider's kind on this host; change nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPruneReport:
    """What came of a removal of leftovers.

    Attributes:
        removed: Resources whose owner was gone and that are gone now.
        kept: Resources whose owner was gone and that could not be removed.
    """

    removed: tuple[SandboxResource, ...] = ()
    kept: tuple[SandboxResource, ...] = ()


@runtime_checkable
class SandboxPruningProvider(Protocol):
    """Can remove what dead owners left behind."""

    @abstractmethod
    def prune(self) -> SandboxPruneReport:
        """Remove every resource whose owner is gone; never one of a living process."""
        ...


class DiagnosisState(enum.StrEnum):
    """What was found out about one requirement or promise."""

    OK = "ok"
    """It holds here; it was tried."""
    DEGRADED = "degraded"
    """The provider works without it, and says in the detail what is weaker."""
    UNAVAILABLE = "unavailable"
    """It does not hold here, and what needs it is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxDiagnosis:
    """One requirement or promise, and whether it really holds on this host.

    Attributes:
        name: Stable name, such as ``daemon``, ``memory-limit``, ``network-none``.
        state: What was found.
        detail: One sentence with the evidence, free of secrets.
        remedy: What to do about it; empty if nothing need be done.
    """

    name: str
    state: DiagnosisState
    detail: str = ""
    remedy: str = ""


@runtime_checkable
class SandboxDiagnosingProvider(Protocol):
    """Can tell what it really enforces on this host."""

    @abstractmethod
    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what was tried here and what came of it, within a few seconds."""
        ...
