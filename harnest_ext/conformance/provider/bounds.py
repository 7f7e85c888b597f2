"""Budgets that a provider says it enforces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.sandbox import SandboxStatus
from harnest_ext.conformance.checks import Group, expect, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("bounds")

PROCESSES = 16
MANY = f"""\
import os, time
made = 0
try:
    for number in range({PROCESSES * 4}):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made)
"""
MEMORY = 96 * 1024 * 1024
GREEDY = """\
data = []
for number in range(64):
    data.append(bytearray(16 * 1024 * 1024))
print('had it all')
"""


@GROUP.check("processes", needs=[Feature.LIMIT_PROCESSES])
def processes(bench: Bench) -> None:
    """A program can't have more processes than its bound."""
    result = bench.run(MANY, on=bench.make(processes=PROCESSES))
    made = int(result.stdout or PROCESSES * 4)
    refuse(f"the program made {made} processes", if_true=made > PROCESSES)


@GROUP.check("memory", needs=[Feature.LIMIT_MEMORY])
def memory(bench: Bench) -> None:
    """A program can't use more memory than its bound."""
    result = bench.run(GREEDY, on=bench.make(memory_bytes=MEMORY))
    expect("status", result.status, SandboxStatus.FAILED)
