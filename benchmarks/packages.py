"""How long it takes to validate a large package, beside hashing the same bytes."""

from __future__ import annotations

import hashlib
import tracemalloc
from typing import TYPE_CHECKING

from benchmarks.measure import Comparison
from harnest_ext.host import Host
from harnest_ext.package import open_package
from tests.support.packages import PackageSpec, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.installation import Installation

FILES = 6_000
FILE_BYTES = 10_000
MIB = 1024 * 1024


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield the validation of 6,000 files of 60 MB, digest included."""
    del installation
    files = {f"lib/data/{n % 60}/{n}.bin": n.to_bytes(4) * (FILE_BYTES // 4) for n in range(FILES)}
    folder = make_folder(scratch, PackageSpec(name="large", files=files))
    tracemalloc.start()
    _validate(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"validating allocated at most {peak / MIB:.1f} MiB at a time")
    yield Comparison(
        name=f"validate {FILES} files, {FILES * FILE_BYTES // 10**6} MB",
        ours=lambda: _validate(folder),
        others={"sha256 of the bytes": lambda: _hash(folder)},
        reach={"sha256 of the bytes": 2},
        rounds=7,
    )


def _validate(folder: Path) -> str:
    with open_package(folder, host=Host()) as package:
        return package.digest


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()
