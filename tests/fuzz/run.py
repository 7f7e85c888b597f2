"""Search for input that a reader can't name, guided by coverage.

``python -m tests.fuzz.run manifest [LIBFUZZER OPTIONS]`` runs until it finds something or is
stopped; ``-max_total_time=60`` bounds it. Needs atheris, which is installed for this alone.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["harnest_ext"]):
    from tests.fuzz.targets import SEEDS, TARGETS, feed


def main() -> None:
    """Run the target named on the command line."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz.run {{{','.join(TARGETS)}}} [LIBFUZZER OPTIONS]")
    name = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as corpus:
        Path(corpus, "seed").write_bytes(SEEDS[name])
        atheris.Setup([*sys.argv, corpus], lambda data: feed(name, data) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
