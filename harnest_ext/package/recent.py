"""Wheels that were found valid a moment ago, so that choosing one and copying it judge it once.

A wheel is known by its place, the hash of its bytes and the host: a file that changed in between is
another wheel and is judged anew.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from harnest_ext import limits

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.host import Host
    from harnest_ext.package.model import ExtensionPackage

__all__ = ["RecentWheels"]


class RecentWheels:
    """Valid packages from wheels, the latest of them, whose bytes they hold in memory.

    Args:
        capacity: Most bytes of wheels to hold; the oldest go first.
    """

    def __init__(self, capacity: int = limits.RECENT_WHEELS_BYTES) -> None:
        self._capacity = capacity
        self._held = 0
        self._packages: dict[tuple[Path, str, Host], ExtensionPackage] = {}
        self._lock = threading.Lock()

    def find(self, path: Path, sha256: str, host: Host) -> ExtensionPackage | None:
        """Return the package that these bytes at this place are, if that is known.

        Args:
            path: The wheel.
            sha256: Hash of the bytes that were just read there.
            host: What the package must work with.
        """
        with self._lock:
            return self._packages.get((path, sha256, host))

    def keep(self, package: ExtensionPackage, host: Host) -> None:
        """Remember a package from a wheel that was found valid for ``host``."""
        archive = package.archive
        if archive is None or archive.size > self._capacity:
            return
        key = (package.location, archive.sha256, host)
        with self._lock:
            if key in self._packages:
                return
            self._packages[key] = package
            self._held += archive.size
            while self._held > self._capacity:
                oldest = self._packages.pop(next(iter(self._packages)))
                self._held -= oldest.archive.size if oldest.archive else 0
