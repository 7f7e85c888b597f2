"""Plan where a workspace's containers work: what of the host they see, and as whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from .mounts import normal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """One file or folder of the host in a container.

    Attributes:
        source: real path on the host.
        target: path inside.
        writable: whether it can be written.
    """

    source: str
    target: str
    writable: bool = False

    def body(self) -> dict[str, Any]:
        """Return the mount as the daemon takes it; a source that is missing is an error then."""
        return {
            "Type": "bind",
            "Source": self.source,
            "Target": self.target,
            "ReadOnly": not self.writable,
            # What else is mounted below it would be writable in spite of all, and come and go.
            "BindOptions": {"NonRecursive": True, "Propagation": "rprivate"},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPlan:
    """The work directory and what may be read beside it.

    Attributes:
        uid: owner of the work directory, and user of every program; gid: group of every program.
        binds: the work directory first, then what may be read.
    """

    uid: int
    gid: int
    binds: tuple[Bind, ...]

    def conflicts(self, volumes: Iterable[str]) -> list[str]:
        """Return the image's volumes that would lie in a bind, where the host would get a folder for each."""
        return [
            volume
            for volume in volumes
            if any(_inside(normal(volume), bind.target) for bind in self.binds)
        ]


def _inside(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)
