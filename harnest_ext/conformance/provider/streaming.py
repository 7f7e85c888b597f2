"""Output while the program runs."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from harnest.sandbox import control
from harnest.sandbox.optional import OutputStream, SandboxStreamingProvider
from harnest_ext.conformance.bench import LONG_SECONDS
from harnest_ext.conformance.checks import Broken, Group, expect, expect_raises, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("streaming")
_NEEDS = (Feature.STREAMING,)

MIXED = "import sys\nfor n in range(5):\n    print(n, 'é€')\n    print(-n, file=sys.stderr)"
SLOW_SECONDS = (5, 15)
SLOW = "import time\nprint('first', flush=True)\ntime.sleep({})\nprint('second')"
TICKS = "import time\nwhile True:\n    print('tick', flush=True)\n    time.sleep(0.05)"


class _Full(Exception):
    """Raised by a sink that wants no more."""


@GROUP.check("protocol", needs=_NEEDS)
def protocol(bench: Bench) -> None:
    """The provider has `execute_streaming`."""
    offered = isinstance(bench.provider, SandboxStreamingProvider)
    refuse("the provider has no execute_streaming", if_true=not offered)


@GROUP.check("same-as-result", needs=_NEEDS)
def same_as_result(bench: Bench) -> None:
    """The pieces of each stream joined are what the result holds."""
    pieces: list[tuple[OutputStream, str]] = []
    result = bench.provider.execute_streaming(
        bench.request(MIXED), lambda stream, text: pieces.append((stream, text))
    )
    for stream, whole in (
        (OutputStream.STDOUT, result.stdout),
        (OutputStream.STDERR, result.stderr),
    ):
        joined = "".join(text for where, text in pieces if where == stream)
        expect(f"pieces of {stream}", joined, whole)
    expect("stdout", result.stdout, "".join(f"{n} é€\n" for n in range(5)))


@GROUP.check("while-running", needs=_NEEDS)
def while_running(bench: Bench) -> None:
    """The first output comes while the program is still running."""
    for seconds in SLOW_SECONDS:
        if _first_after(bench, SLOW.format(seconds)) < seconds:
            return  # else a busy machine may have taken as long to begin: with a longer one then
    raise Broken("the output came at the end only")


def _first_after(bench: Bench, code: str) -> float:
    """Return after how many seconds the first output came."""
    times: list[float] = []
    start = time.monotonic()
    # Cancelled as soon as it is judged, which need not succeed.
    with control.execute(LONG_SECONDS) as scope, contextlib.suppress(Exception):

        def sink(_stream: OutputStream, _text: str) -> None:
            times.append(time.monotonic() - start)
            scope.cancelled.set()

        bench.provider.execute_streaming(bench.request(code), sink)
    refuse("no output came", if_true=not times)
    return times[0]


@GROUP.check("sink-raises", needs=_NEEDS)
def sink_raises(bench: Bench) -> None:
    """A sink that raises ends the program, and its error comes out."""

    def sink(_stream: OutputStream, _text: str) -> None:
        raise _Full

    bench.within(
        "ending the program",
        lambda: expect_raises(
            "a raising sink",
            _Full,
            lambda: bench.provider.execute_streaming(bench.request(TICKS), sink),
        ),
    )
