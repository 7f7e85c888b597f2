"""What starts a supervisor in a confinement, instead of as a plain process of this host."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from harnest.execution.local.supervisor.family import descendants

if TYPE_CHECKING:
    from harnest.execution.local.cgroup import ControlGroup

__all__ = ["Launcher", "adopt_launched"]

_PREFERRED = "1000"
"""Largest value of ``oom_score_adj``: out of memory, the kernel ends this and not its caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """A command that becomes or starts the command line that follows it.

    Attributes:
        prefix: The command and its arguments; the supervisor's command line comes after them.
        descriptors: Descriptors of the caller's that the command itself reads.
        directory: Folder of this host that it is started in.
        environment: The command's own environment; it gives the program's to the program.
        contains: Whether all that it starts is in a namespace of processes of its own, whose
            process 1 is the supervisor, and it ends when that namespace has.
    """

    prefix: tuple[str, ...]
    descriptors: tuple[int, ...] = ()
    directory: str
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    contains: bool = False


def adopt_launched(launcher: int, group: ControlGroup | None) -> None:
    """Put a launcher and all that it has started into a control group.

    Nothing of the program runs before the supervisor has read its payload, so what is found here
    is the launcher's and the supervisor's; what they start from now on is in the group as well.

    Args:
        launcher: Its process.
        group: The group; None for none, which leaves the preference of the kernel out of memory.

    Raises:
        OSError: The kernel refuses.
    """
    done: set[int] = set()
    # First each, then its children: one that it starts between the two is in the group already.
    while found := {launcher, *descendants(launcher)} - done:
        for pid in found:
            if group is not None:
                with contextlib.suppress(ProcessLookupError):
                    group.adopt(pid)
            with contextlib.suppress(OSError):
                Path(f"/proc/{pid}/oom_score_adj").write_text(_PREFERRED)
        done |= found
