"""Output while the program runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from harnest.sandbox.optional import OutputStream, SandboxStreamingProvider
from harnest_ext.conformance.checks import Group, expect, expect_raises, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("streaming")
_NEEDS = (Feature.STREAMING,)

MIXED = "import sys\nfor n in range(5):\n    print(n, 'é€')\n    print(-n, file=sys.stderr)"
SLOW = "import time\nprint('first', flush=True)\ntime.sleep(1.5)\nprint('second')"
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
    times: list[float] = []
    bench.provider.execute_streaming(
        bench.request(SLOW), lambda _stream, _text: times.append(time.monotonic())
    )
    early = bool(times) and time.monotonic() - times[0] > 0.75
    refuse("the output came at the end only", if_true=not early)


@GROUP.check("sink-raises", needs=_NEEDS)
def sink_raises(bench: Bench) -> None:
    """A sink that raises ends the program, and its error comes out."""

    def sink(_stream: OutputStream, _text: str) -> None:
        raise _Full

    bench.within(
        5,
        "ending the program",
        lambda: expect_raises(
            "a raising sink",
            _Full,
            lambda: bench.provider.execute_streaming(bench.request(TICKS), sink),
        ),
    )
