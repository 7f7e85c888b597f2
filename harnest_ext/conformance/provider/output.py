"""What becomes of output: characters whole, amounts exact, floods ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harnest.sandbox import SandboxStatus
from harnest_ext.conformance.checks import Group, expect, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("output")

BUDGET = 10_000
WIDTHS = "print('aé€😀' * 5000)"
EDGES = """\
import sys
data = ('é€😀' * 3).encode()
for cut in range(len(data)):
    sys.stdout.buffer.write(data[:cut])
    sys.stdout.buffer.flush()
    sys.stdout.buffer.write(data[cut:] + b'\\n')
    sys.stdout.buffer.flush()
"""
BAD = "import sys\nsys.stdout.buffer.write(b'a\\xffb\\n')"
NO_NEWLINE = "import sys\nsys.stdout.write('no newline')"
CRLF = "import sys\nsys.stdout.write('a\\r\\nb\\rc\\n')"
LARGE = "import sys\nfor n in range(100):\n    sys.stdout.write(chr(97 + n % 26) * 20_000)"
OVER = f"import sys\nsys.stdout.write('x' * {BUDGET + 500})"
EXACT = f"import sys\nsys.stdout.write('x' * {BUDGET})"
BOTH = f"import sys\nsys.stdout.write('x' * {BUDGET - 100})\nsys.stderr.write('y' * 200)"
ENDLESS = "while True:\n    print('flood')"


@GROUP.check("unicode")
def unicode(bench: Bench) -> None:
    """Characters of every width arrive as they were written."""
    expect("stdout", bench.run(WIDTHS).stdout, "aé€😀" * 5000 + "\n")


@GROUP.check("unicode-edges")
def unicode_edges(bench: Bench) -> None:
    """A character that is written in two pieces arrives whole, wherever it is cut."""
    text = "é€😀" * 3 + "\n"
    expect("stdout", bench.run(EDGES).stdout, text * (len(text.encode()) - 1))


@GROUP.check("bad-bytes")
def bad_bytes(bench: Bench) -> None:
    """A byte that is no UTF-8 becomes one replacement character, the rest stays."""
    expect("stdout", bench.run(BAD).stdout, "a\ufffdb\n")


@GROUP.check("no-newline")
def no_newline(bench: Bench) -> None:
    """Nothing is added to the end of the output."""
    expect("stdout", bench.run(NO_NEWLINE).stdout, "no newline")


@GROUP.check("line-ends")
def line_ends(bench: Bench) -> None:
    """Line ends are not changed."""
    expect("stdout", bench.run(CRLF).stdout, "a\r\nb\rc\n")


@GROUP.check("large", needs=[Feature.OUTPUT_LIMIT])
def large(bench: Bench) -> None:
    """Two megabytes within the budget arrive exactly."""
    provider = bench.make(max_output_bytes=4_000_000)
    wanted = "".join(chr(97 + n % 26) * 20_000 for n in range(100))
    expect("stdout", bench.run(LARGE, on=provider).stdout, wanted)


@GROUP.check("limit-status", needs=[Feature.OUTPUT_LIMIT])
def limit_status(bench: Bench) -> None:
    """More output than the budget ends the program with the status for it."""
    result = bench.run(OVER, on=bench.make(max_output_bytes=BUDGET))
    expect("status", result.status, SandboxStatus.OUTPUT_LIMIT_EXCEEDED)


@GROUP.check("limit-keeps-output", needs=[Feature.OUTPUT_LIMIT])
def limit_keeps_output(bench: Bench) -> None:
    """The output up to the budget is kept."""
    result = bench.run(OVER, on=bench.make(max_output_bytes=BUDGET))
    expect("stdout", result.stdout, "x" * BUDGET)


@GROUP.check("limit-is-told", needs=[Feature.OUTPUT_LIMIT])
def limit_is_told(bench: Bench) -> None:
    """The metadata says which stream was cut, and that bytes were dropped."""
    result = bench.run(OVER, on=bench.make(max_output_bytes=BUDGET))
    truncated = result.metadata.get("truncated")
    told = isinstance(truncated, Mapping) and bool(truncated.get("stdout"))
    refuse(f"metadata['truncated'] is {truncated!r}", if_true=not told)


@GROUP.check("limit-fits", needs=[Feature.OUTPUT_LIMIT])
def limit_fits(bench: Bench) -> None:
    """Output of exactly the budget is within it."""
    result = bench.run(EXACT, on=bench.make(max_output_bytes=BUDGET))
    expect("outcome", (result.status.value, len(result.stdout)), ("succeeded", BUDGET))


@GROUP.check("limit-both-streams", needs=[Feature.OUTPUT_LIMIT])
def limit_both_streams(bench: Bench) -> None:
    """The budget holds for both streams together."""
    result = bench.run(BOTH, on=bench.make(max_output_bytes=BUDGET))
    kept = len(result.stdout) + len(result.stderr)
    expect("outcome", (result.status.value, kept), ("output_limit_exceeded", BUDGET))


@GROUP.check("endless", needs=[Feature.OUTPUT_LIMIT])
def endless(bench: Bench) -> None:
    """Output without end ends long before the deadline."""
    provider = bench.make(max_output_bytes=BUDGET)
    result = bench.within("ending a flood", lambda: bench.run(ENDLESS, on=provider))
    expect("status", result.status, SandboxStatus.OUTPUT_LIMIT_EXCEEDED)
