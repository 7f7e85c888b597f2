"""File stamps of the copies: what `list` compares instead of hashing every file.

A stamp is a file's size, time of last change and inode, with a checksum by which a file that
somebody changed can be named. Stamps are a cache: without them, or with ones that do not fit, the
digest decides. They lie beside the copies and mean nothing on another machine.
"""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harnest_ext import limits
from harnest_ext.errors import StoreError
from harnest_ext.store import layout
from harnest_ext.store.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["CACHE_FOLDER", "CopyStamps", "Stamp", "read_stamps", "render_stamps", "stamps_of"]

CACHE_FOLDER: Final = "__pycache__"
"""The one folder that may appear in a copy without changing it; never loaded from."""

Stamp = tuple[int, int, int, int]
"""Size in bytes, time of last change in ns, inode, CRC-32 of the content."""

_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyStamps:
    """Stamps of one copy.

    Attributes:
        digest: Tree digest that the copy had when they were taken.
        files: Stamp by path below the copy.
    """

    digest: str
    files: Mapping[str, Stamp]

    def fit(self, folder: Path) -> bool:
        """Return whether every file below ``folder`` is as it was, and there is no other."""
        return _count_fitting(str(folder), "", self.files) == len(self.files)

    def changes(self, folder: Path) -> tuple[str, ...]:
        """Return a line for each file below ``folder`` that was changed, added or removed."""
        found = {path: stat.st_size for path, stat in _walk(str(folder), "")}
        lines = [f"{path} (removed)" for path in self.files if path not in found]
        for path, size in found.items():
            stamp = self.files.get(path)
            if stamp is None:
                lines.append(f"{path} (added)")
            elif size != stamp[0]:
                lines.append(f"{path} (changed)")
            else:
                lines.extend(_changed(folder, path, stamp))
        return tuple(sorted(lines))


def _changed(folder: Path, path: str, stamp: Stamp) -> Iterator[str]:
    try:
        if _checksum(folder / path) != stamp[3]:
            yield f"{path} (changed)"
    except OSError:
        yield f"{path} (can't be read)"


def read_stamps(root: Path, path: str = layout.STAMPS_PATH) -> dict[str, CopyStamps]:
    """Return the stamps of the project at ``root`` by name; none when they can't be used."""
    try:
        data = read_regular(root / path, limits.STATE_BYTES)
        shape = json.loads(data or b"{}")
        if shape.get("version") != _VERSION:
            return {}
        return {
            name: CopyStamps(digest=copy["digest"], files=copy["files"])
            for name, copy in shape["copies"].items()
        }
    except (StoreError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # A cache that can't be read is no fault of the project: the digest decides instead.
        return {}


def render_stamps(stamps: Mapping[str, CopyStamps]) -> bytes:
    """Return the text of ``stamps``."""
    copies = {
        name: {"digest": stamps[name].digest, "files": dict(stamps[name].files)}
        for name in sorted(stamps)
    }
    return json.dumps({"version": _VERSION, "copies": copies}, separators=(",", ":")).encode()


def stamps_of(folder: Path, digest: str) -> CopyStamps:
    """Take the stamps of a copy whose digest is known.

    Raises:
        OSError: A file can't be read.
    """
    files = {
        path: (found.st_size, found.st_mtime_ns, found.st_ino, _checksum(folder / path))
        for path, found in _walk(str(folder), "")
    }
    return CopyStamps(digest=digest, files=files)


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all that is no folder, links not followed; a folder without files yields itself."""
    with os.scandir(folder) as entries:
        empty = True
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != CACHE_FOLDER:
                    empty = False
                    yield from _walk(entry.path, f"{prefix}{entry.name}/")
            else:
                empty = False
                yield prefix + entry.name, entry.stat(follow_symlinks=False)
    if empty and prefix:
        # Copies have no empty folders, so one that is there was added.
        yield prefix, os.stat(folder, follow_symlinks=False)  # noqa: PTH116 - os.scandir's text


def _count_fitting(folder: str, prefix: str, files: Mapping[str, Stamp]) -> int:
    """Return how many files below ``folder`` fit their stamps; less than any number if one doesn't.

    The same walk as :func:`_walk`, written out: `list` does it for every copy.
    """
    fitting = 0
    empty = True
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if name == CACHE_FOLDER:
                    continue
                inner = _count_fitting(entry.path, f"{prefix}{name}/", files)
                if inner < 0:
                    return -1
                fitting += inner
            else:
                stamp = files.get(prefix + name)
                if stamp is None:
                    return -1
                found = entry.stat(follow_symlinks=False)
                if [found.st_size, found.st_mtime_ns, found.st_ino] != list(stamp[:3]):
                    return -1
                fitting += 1
            empty = False
    return -1 if empty and prefix else fitting


def _checksum(path: Path) -> int:
    if not path.is_file():
        return -1
    checksum = 0
    with path.open("rb") as stream:
        while chunk := stream.read(limits.MIB):
            checksum = zlib.crc32(chunk, checksum)
    return checksum
