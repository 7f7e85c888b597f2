"""What every command of the manager is given: the project, the host, and the ports."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest_ext.manager.lookup import Lookup
    from harnest_ext.store.filesystem import FileSystem
    from harnest_ext.store.project import Project
    from harnest_ext.store.writing import Writer

__all__ = ["Setting"]


def _now() -> datetime:
    return datetime.now(UTC)


def _silent(_message: str) -> None:
    """Drop a message that nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One frozen object instead of the same parameters through every layer.

    Attributes:
        project: The agent project.
        lookup: Who knows releases.
        host: What ranges are held against.
        wait: Seconds to wait for another writer.
        notice: Is told what is going on when something takes long.
        disk: Port to write through; None for the operating system's own.
        now: Clock; aware.
    """

    project: Project
    lookup: Lookup
    host: Host = field(default_factory=Host)
    wait: float = limits.WRITER_WAIT_SECONDS
    notice: Callable[[str], None] = _silent
    disk: FileSystem | None = None
    now: Callable[[], datetime] = _now

    def writing(self, *, dry_run: bool = False) -> AbstractContextManager[Writer | None]:
        """Hold the project for writing while the block runs; a dry run holds nothing.

        Raises:
            StoreError: See :func:`~harnest_ext.store.writing.open_for_writing`.
        """
        if dry_run:
            return nullcontext()
        from harnest_ext.store.writing import open_for_writing  # noqa: PLC0415 - readers need none

        return open_for_writing(self.project, wait=self.wait, notice=self.notice, disk=self.disk)
