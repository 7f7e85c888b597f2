"""What this user's processes keep - directories, control groups - and the removal of orphans."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from harnest.execution.local import cgroup, workdir
from harnest.execution.local.bounds import parents
from harnest.sandbox.optional import SandboxPruneReport, SandboxResource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["inventory", "prune"]


def inventory(prefix: str) -> tuple[SandboxResource, ...]:
    """Return every work directory and control group, whoever made it; change nothing.

    Args:
        prefix: Begin of the names of an extension's work directories. Those of workspaces, of
            whichever tier, are looked after as well.
    """
    return tuple(resource for resource, _ in _all(prefix))


def prune(prefix: str) -> SandboxPruneReport:
    """Remove what belongs to processes that are gone; ``prefix`` is as for :func:`inventory`."""
    removed: list[SandboxResource] = []
    kept: list[SandboxResource] = []
    for resource, remove in _all(prefix):
        if not resource.owner_alive:
            (removed if remove() else kept).append(resource)
    return SandboxPruneReport(removed=tuple(removed), kept=tuple(kept))


def _all(own: str) -> Iterator[tuple[SandboxResource, Callable[[], bool]]]:
    folders = (*workdir.leftovers(own), *workdir.leftovers(workdir.WORKSPACE_PREFIX))
    for item in folders:
        resource = SandboxResource(
            kind="directory",
            resource_id=item.path.name,
            owner=f"process {item.pid}",
            owner_alive=item.alive,
            age_seconds=item.age_seconds,
        )
        yield resource, lambda path=item.path: workdir.remove(path)  # type: ignore[misc]
    for path, pid in cgroup.leftovers(parents()):
        resource = SandboxResource(
            kind="control-group",
            resource_id=path.name,
            owner=f"process {pid}",
            owner_alive=workdir.exists(pid),
        )
        yield resource, lambda path=path: _removed(path)  # type: ignore[misc]


def _removed(group: Path) -> bool:
    """Remove an empty group; one that still holds processes stays, whoever they are."""
    with contextlib.suppress(OSError):
        group.rmdir()
    return not group.exists()
