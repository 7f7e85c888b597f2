"""What confines the programs of a tier, and one program that is to be run confined."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from harnest.execution.local.program import Limits, LocalProgram

if TYPE_CHECKING:
    from harnest.execution.local.cgroup import ControlGroup

__all__ = ["ConfinedRun", "Confinement", "Held"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfinedRun:
    """One program, as it is asked for.

    Attributes:
        work: Its work directory on this host, as its real path.
        code: Python source; None to run ``argv``.
        argv: Path of an executable as programs see it, and its arguments.
        environment: Variables beside those of the confinement.
        limits: Resource limits of each of its processes.
        stdin: Descriptor of its input; None for none.
    """

    work: Path
    code: str | None = None
    argv: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(repr=False)
    limits: Limits = ()
    stdin: int | None = None


class Confinement(Protocol):
    """One kind of confinement: what is confined by it differs only in what runs, and where."""

    def program(self, run: ConfinedRun) -> AbstractContextManager[LocalProgram]:
        """Prepare a program, and release what it needs to start when it is over.

        Args:
            run: The program.

        Raises:
            OSError: It can't be prepared, for want of descriptors, memory or space.
        """
        ...


class Held(Protocol):
    """What all processes of a program are held to; :class:`~.bounds.ProgramBounds` is one."""

    def named(self) -> dict[str, int]:
        """Return the limits of each process that do it, by their names in ``resource``."""
        ...

    def group(self) -> ControlGroup | None:
        """Return a new control group for one program, or None where there are none.

        Raises:
            LocalProgramError: It can't be made any more.
        """
        ...
