"""The port between the contract over local processes and the extension that starts them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from harnest.execution.local.cgroup import ControlGroup
    from harnest.execution.local.program import LocalProgram
    from harnest.sandbox import SandboxExecutionError, SandboxNetworkMode
    from harnest.sandbox.optional import SandboxDiagnosis

__all__ = ["LocalTier"]


class LocalTier(Protocol):
    """How the programs of one declaration are started, and what holds for them."""

    @property
    def name(self) -> str:
        """Name of the provider in results, such as ``process``."""
        ...

    @property
    def prefix(self) -> str:
        """Begin of the names of its work directories, such as ``harnest-process``."""
        ...

    @property
    def network_modes(self) -> frozenset[SandboxNetworkMode]:
        """What it enforces for this declaration; it was tried where it can be tried."""
        ...

    @property
    def network_by_default(self) -> bool:
        """Whether programs have the host's network where no policy says anything."""
        ...

    @property
    def cpu_seconds(self) -> int:
        """The limit of CPU time of each process of a program, in seconds."""
        ...

    def program(
        self, code: str, work: Path, *, network: bool
    ) -> AbstractContextManager[LocalProgram]:
        """Prepare a program, and release what it needs to start when it is over.

        Args:
            code: Python source.
            work: Its work directory on this host.
            network: Whether it has the host's network.

        Raises:
            LocalProgramError: It can't be prepared.
            OSError: Likewise, for want of descriptors or memory.
        """
        ...

    def group(self) -> ControlGroup | None:
        """Return a new control group for one program, or None where there are none.

        Raises:
            LocalProgramError: It can't be made any more.
        """
        ...

    def error(self, reason: str, *, phase: str) -> SandboxExecutionError:
        """Return the extension's own error for something that could not be carried out."""
        ...

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        ...
