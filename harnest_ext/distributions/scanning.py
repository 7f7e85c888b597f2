"""Finds the few distributions that may bring an extension, without looking closely at the others.

Most distributions of an environment have nothing to do with extensions, and reading the metadata
of all of them takes longer than everything else at start. What must name an entry-point group in
its ``entry_points.txt`` is found by that text alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importlib_metadata import Distribution

__all__ = ["suspects"]

_SUFFIXES: Final = (".dist-info", ".egg-info")
_ENTRY_POINTS: Final = "entry_points.txt"


def suspects(search: Iterable[str], group: str) -> Iterator[Distribution]:
    """Yield the distributions whose entry points name a group, or can't be read.

    Args:
        search: Folders and archives of a Python path, in its order.
        group: Name of the entry-point group.
    """
    wanted = group.encode()
    for entry in search:
        path = Path(entry or ".")
        if path.is_dir() and path.suffix != ".egg":
            for folder in _folders(path):
                if _names(folder / _ENTRY_POINTS, wanted):
                    yield _distribution(folder)
        elif path.exists():
            yield from _archived(entry)


def _folders(path: Path) -> list[Path]:
    try:
        with os.scandir(path) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(_SUFFIXES)]
    except OSError:
        return []
    return [path / name for name in sorted(names)]


def _names(file: Path, wanted: bytes) -> bool:
    try:
        return wanted in file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _distribution(folder: Path) -> Distribution:
    import importlib_metadata  # noqa: PLC0415 - 29 ms that an environment without extensions saves

    return importlib_metadata.Distribution.at(folder)


def _archived(entry: str) -> Iterator[Distribution]:
    import importlib_metadata  # noqa: PLC0415 - see above

    for found in importlib_metadata.distributions(path=[entry]):
        yield cast("Distribution", found)
