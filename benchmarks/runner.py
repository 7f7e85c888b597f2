"""Run the chosen comparisons in a scratch folder and tell what came out."""

from __future__ import annotations

import argparse
import dataclasses
import subprocess
import tempfile
from importlib import import_module
from pathlib import Path

from benchmarks.measure import measure, table, write
from tests.support.installation import Installation, install_product

ROOT = Path(__file__).resolve().parents[1]
MODULES = ("cli", "install", "packages", "resolution", "loading", "discovery", "processes")


def main() -> None:
    """Parse the arguments, measure, print and write."""
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__)
    parser.add_argument("--only", action="append", choices=MODULES, help="one of the modules")
    parser.add_argument("--rounds", type=int, help="rounds of each comparison")
    parser.add_argument("--json", type=Path, help="file that the records are written to")
    chosen = parser.parse_args()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="harnest-bench-") as folder:
        scratch = Path(folder)
        # What is measured is the product as it is installed: a checkout starts more slowly.
        installation = install_product(ROOT, scratch / "product")
        _compile(installation)
        for name in chosen.only or MODULES:
            place = scratch / name
            place.mkdir()
            comparisons = import_module(f"benchmarks.{name}").comparisons(place, installation)
            for comparison in comparisons:
                wanted = chosen.rounds or comparison.rounds
                result = measure(dataclasses.replace(comparison, rounds=wanted))
                print(table(result.rows()), end="\n\n", flush=True)
                rows += result.rows()
    if chosen.json:
        write(rows, chosen.json)


def _compile(installation: Installation) -> None:
    """Write the byte code of all that is installed, as pip does and uv leaves to the first run."""
    command = [installation.python, "-m", "compileall", "-q", installation.folder / "lib"]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
