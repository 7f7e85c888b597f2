"""How long it takes to activate extensions, beside importing and hashing the same files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measure import Comparison, program, timed_program
from tests.support.packages import PackageSpec, make_agent, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.installation import Installation

OURS = """
import time
import harnest.extensions
from harnest_ext.runtime import AgentRuntime
with AgentRuntime({empty!r}):
    pass  # what a process pays once: imports, and a look at the environment
start = time.perf_counter()
with AgentRuntime({project!r}):
    print(time.perf_counter() - start)
"""
THEIRS = """
import hashlib, importlib, pathlib, sys, time
import harnest.extensions
start = time.perf_counter()
sys.dont_write_bytecode = True
for folder in sorted(pathlib.Path({sources!r}).iterdir()):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            hashlib.sha256(path.read_bytes()).digest()
    sys.path.insert(0, str(folder))
    sys.modules.pop("extension", None)
    importlib.import_module("extension")
    sys.path.pop(0)
print(time.perf_counter() - start)
"""


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield the activation of 1, 10, 100 and 1,000 extensions whose digests are locked."""
    empty = make_agent(scratch, "empty")
    for number in (1, 10, 100, 1_000):
        parent = scratch / f"with-{number}"
        agent = make_agent(parent)
        specs = [PackageSpec(name=f"bench{n}") for n in range(number)]
        sources = [make_folder(parent / "source", spec) for spec in specs]
        program(installation.program, "extensions", "install", *sources, cwd=agent)()
        theirs = THEIRS.format(sources=str(parent / "source"))
        yield Comparison(
            name=f"activate {number}",
            ours=timed_program(
                installation.python, OURS.format(project=str(agent), empty=str(empty)), scratch
            ),
            others={"import and sha256": timed_program(installation.python, theirs, scratch)},
            reach={"import and sha256": 2},
            rounds=5,
        )
