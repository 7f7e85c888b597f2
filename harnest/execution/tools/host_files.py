"""Files of this host below a backend's work directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution.tools import host_file, host_tree
from harnest.execution.tools.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest.execution.tools.filesystem import Entry, Listing, Search, Writing
    from harnest.execution.tools.place import Place

__all__ = ["HostFileSystem"]


class HostFileSystem:
    """Implements :class:`~harnest.execution.tools.filesystem.FileSystem` by system calls."""

    async def read(self, place: Place, most: int) -> bytes:
        """See :meth:`FileSystem.read`."""
        return await in_thread(host_file.read_file, place, most)

    async def read_many(self, places: Sequence[Place], most: int) -> list[bytes | None]:
        """See :meth:`FileSystem.read_many`."""
        return await in_thread(lambda: [_read_or_none(place, most) for place in places])

    async def write(
        self, place: Place, content: bytes, rule: Writing, expected: str | None = None
    ) -> bool:
        """See :meth:`FileSystem.write`."""
        return await in_thread(host_file.write_file, place, content, rule, expected)

    async def remove(self, place: Place, *, recursive: bool) -> Entry:
        """See :meth:`FileSystem.remove`."""
        return await in_thread(host_file.remove_entry, place, recursive=recursive)

    async def list(self, place: Place) -> Listing:
        """See :meth:`FileSystem.list`."""
        return await in_thread(host_tree.list_folder, place)

    async def walk(self, place: Place, search: Search) -> Listing:
        """See :meth:`FileSystem.walk`."""
        return await in_thread(host_tree.walk_folder, place, search)


def _read_or_none(place: Place, most: int) -> bytes | None:
    try:
        return host_file.read_file(place, most)
    except (OSError, ValueError):
        return None  # what the port promises for a file that can't be read
