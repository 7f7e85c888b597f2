"""Compare contenders in one run: interleaved rounds, medians, ratios. Never an assertion.

Machines are noisy and differ, so a figure alone says little. Each round runs every contender once,
in rotating order; reported are the median of each and the ratio of ours to it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["Comparison", "Result", "measure", "program", "table", "timed_program", "write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is compared.

    Attributes:
        name: What is done.
        ours: Does it our way, once; may return the seconds that count, otherwise all do.
        others: By name, what it is compared with.
        reach: By the name of another, the largest ratio of ours to it that is aimed at.
        rounds: How often each is run.
        before: Run before each contender, outside the time.
    """

    name: str
    ours: Callable[[], object]
    others: Mapping[str, Callable[[], object]]
    reach: Mapping[str, float] = field(default_factory=dict)
    rounds: int = 11
    before: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came out, in seconds."""

    comparison: Comparison
    times: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        """Return the median of one contender's times."""
        return statistics.median(self.times[name])

    def rows(self) -> list[dict[str, object]]:
        """Return one record per contender, ours first."""
        ours = self.median("harnest")
        found = []
        for name, times in self.times.items():
            reach = self.comparison.reach.get(name)
            ratio = ours / self.median(name)
            found.append(
                {
                    "name": self.comparison.name,
                    "contender": name,
                    "median_ms": round(self.median(name) * 1e3, 2),
                    "fastest_ms": round(min(times) * 1e3, 2),
                    "rounds": len(times),
                    "ours_to_it": None if name == "harnest" else round(ratio, 2),
                    "aim": reach,
                    "reached": None if reach is None else ratio <= reach,
                }
            )
        return found


def measure(comparison: Comparison) -> Result:
    """Run one comparison: a warm-up of each contender, then the rounds."""
    contenders = {"harnest": comparison.ours, **comparison.others}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for number in range(-1, comparison.rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            if comparison.before:
                comparison.before()
            start = time.perf_counter()
            told = contenders[name]()
            taken = time.perf_counter() - start
            if number >= 0:
                times[name].append(told if isinstance(told, float) else taken)
    return Result(comparison=comparison, times=times)


def program(*command: str | Path, cwd: Path | None = None) -> Callable[[], object]:
    """Return a contender that runs a program to its successful end, output thrown away."""
    arguments = [str(part) for part in command]

    def run() -> None:
        done = subprocess.run(
            arguments, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr.decode()}")

    return run


def timed_program(python: Path, script: str, cwd: Path) -> Callable[[], object]:
    """Return a contender in an interpreter of its own: a script that prints the seconds it took."""

    def run() -> float:
        command = [str(python), "-c", script]
        done = subprocess.run(command, cwd=cwd, capture_output=True, check=False, text=True)
        if done.returncode:
            sys.exit(f"{script}\nended with {done.returncode}:\n{done.stderr}")
        return float(done.stdout.split()[-1])

    return run


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the records as an aligned table of plain text."""
    heads = ("what", "contender", "median ms", "fastest ms", "ours / it", "aim")
    keys = ("name", "contender", "median_ms", "fastest_ms", "ours_to_it", "aim")
    lines = [heads, *(tuple(_cell(row[key]) for key in keys) for row in rows)]
    lines = [
        (*line, "" if row is None or row["reached"] is None else "ok" if row["reached"] else "no")
        for line, row in zip(lines, [None, *rows], strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def write(rows: Sequence[Mapping[str, object]], target: Path) -> None:
    """Write the records as JSON, with the machine that they were measured on."""
    machine = {"python": sys.version.split()[0], "platform": sys.platform}
    target.write_text(json.dumps({"machine": machine, "results": list(rows)}, indent=1) + "\n")


def _cell(value: object) -> str:
    return "" if value is None else f"{value}"
