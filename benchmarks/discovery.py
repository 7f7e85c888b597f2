"""How long it takes to find the environment's extensions among many other distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measure import Comparison, timed_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.installation import Installation

OURS = """
import importlib_metadata, sys, time
from harnest_ext.distributions import installed_extensions
start = time.perf_counter()
view = installed_extensions([{folder!r}])
print(time.perf_counter() - start)
assert len(view.problems) == {broken}, view.problems
"""
THEIRS = """
import importlib.metadata, sys, time
sys.path[:] = [{folder!r}]
start = time.perf_counter()
importlib.metadata.entry_points(group="harnest.extensions")
print(time.perf_counter() - start)
"""
ENTRY_POINTS = "[console_scripts]\nrun{n} = unrelated{n}.main:run\n"


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield discovery among 500 and 2,000 distributions, beside the standard library's."""
    for number in (500, 2_000):
        folder = scratch / f"site-{number}"
        for n in range(number):
            _distribution(folder, n)
        yield Comparison(
            name=f"find extensions among {number} distributions",
            ours=timed_program(
                installation.python, OURS.format(folder=str(folder), broken=0), scratch
            ),
            others={
                "entry_points()": timed_program(
                    installation.python, THEIRS.format(folder=str(folder)), scratch
                )
            },
            reach={"entry_points()": 1.5},
            rounds=7,
        )


def _distribution(folder: Path, number: int) -> None:
    info = folder / f"unrelated{number}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: unrelated{number}\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(ENTRY_POINTS.format(n=number))
    (info / "RECORD").write_text("")
