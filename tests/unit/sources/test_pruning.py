"""The cache of pages and wheels stays within its bounds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.sources.pruning import prune

if TYPE_CHECKING:
    from pathlib import Path

NOW = 2_000_000_000.0
HOUR, DAY = 3600, 86400


def keep(folder: Path, name: str, size: int, age: float) -> None:
    """Put a page, or with a slash in its name a wheel, into the cache as if used that long ago."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    for entry in (path, path.parent) if "/" in name else (path,):
        os.utime(entry, (NOW - age, NOW - age))


def left(folder: Path) -> set[str]:
    """Return what is still there."""
    return {path.name for path in folder.iterdir()}


def test_the_longest_unused_goes_first(tmp_path: Path) -> None:
    """Files and folders go whole, oldest first, until the rest fits."""
    keep(tmp_path, "old", 400, 9 * DAY)
    keep(tmp_path, "older/wheel.whl", 400, 10 * DAY)
    keep(tmp_path, "new", 400, 2 * HOUR)
    assert prune(tmp_path, most=1300 + 4096 + 4096, now=NOW) == 0
    assert prune(tmp_path, most=900, now=NOW) == 1
    assert left(tmp_path) == {"old", "new"}
    assert prune(tmp_path, most=100, now=NOW) == 2
    assert left(tmp_path) == set()


def test_what_is_in_use_is_spared(tmp_path: Path) -> None:
    """What was used a moment ago stays, however much it is: another process may read it."""
    keep(tmp_path, "now", 1000, 10)
    keep(tmp_path, "future", 1000, -5 * DAY)
    assert prune(tmp_path, most=1, now=NOW) == 0
    assert left(tmp_path) == {"now", "future"}


def test_what_nobody_used_for_long_goes_although_it_fits(tmp_path: Path) -> None:
    """A cache does not keep for ever what it once got."""
    keep(tmp_path, "ancient", 1, (limits.CACHE_DAYS + 1) * DAY)
    keep(tmp_path, "recent", 1, DAY)
    assert prune(tmp_path, most=limits.CACHED_PAGES_BYTES, now=NOW) == 1
    assert left(tmp_path) == {"recent"}


def test_a_cache_that_is_not_there_is_within_its_bounds(tmp_path: Path) -> None:
    """Nothing to prune is no fault."""
    assert prune(tmp_path / "nothing", most=1, now=NOW) == 0
