"""Cancellation: heard soon, final, harmless to what comes after."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from harnest.sandbox import SandboxCancelledError, control
from harnest_ext.conformance.bench import LONG_SECONDS, Running
from harnest_ext.conformance.checks import Group, expect, expect_raises, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox.optional import OutputStream
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("cancelling")

SLEEP = "import time\ntime.sleep(600)"
TICKS = "import time\nwhile True:\n    print('tick', flush=True)\n    time.sleep(0.02)"
OCCUPY = "import time\ntime.sleep({})"
LEAVE = "open('mark', 'w').write('x')"
LOOK = "try:\n    print(open('mark').read())\nexcept OSError:\n    print('nothing')"
_START_SECONDS = 0.5
_SILENCE_SECONDS = 0.5
_QUEUES_SECONDS = (1, 2, 6)


def _cancelled(
    bench: Bench,
    action: Callable[[], object],
    after: float = _START_SECONDS,
    begun: threading.Event | None = None,
) -> Running:
    """Run an action and cancel its call; return it when it is over, or fail."""
    with control.execute(LONG_SECONDS) as scope:
        running = Running(action)
        if begun is None:
            time.sleep(after)  # nothing tells from outside that a program has begun
        else:
            while scope.remaining() and not begun.wait(0.05) and not running.join(0):
                pass
        scope.cancelled.set()
        over = running.join(bench.soon)
    refuse(f"a cancelled call did not return within {bench.soon} s", if_true=not over)
    return running


@GROUP.check("running")
def running(bench: Bench) -> None:
    """Cancelling ends a running program long before its deadline."""
    provider = bench.provider
    _cancelled(bench, lambda: provider.execute(bench.request(SLEEP)))


@GROUP.check("error")
def error(bench: Bench) -> None:
    """A cancelled call raises SandboxCancelledError or reports the status."""
    provider = bench.provider
    call = _cancelled(bench, lambda: provider.execute(bench.request(SLEEP)))
    told = getattr(call.value, "status", None) or type(call.error).__name__
    told = "cancelled" if isinstance(call.error, SandboxCancelledError) else told
    expect("what a cancelled call says", str(getattr(told, "value", told)), "cancelled")


@GROUP.check("before-start")
def before_start(bench: Bench) -> None:
    """A call that was cancelled before it began runs nothing."""
    provider = bench.provider

    def run() -> object:
        with control.execute(LONG_SECONDS) as scope:
            scope.cancelled.set()
            return provider.execute(bench.request("print('ran')"))

    expect_raises("a call in a cancelled scope", SandboxCancelledError, run)


@GROUP.check("next-call")
def next_call(bench: Bench) -> None:
    """Cancelling does no harm to the next program."""
    provider = bench.provider
    _cancelled(bench, lambda: provider.execute(bench.request(SLEEP)))
    expect("stdout", bench.run("print('next')").stdout, "next\n")


@GROUP.check("output-stops", needs=[Feature.STREAMING])
def output_stops(bench: Bench) -> None:
    """After a cancelled call has returned no more output comes."""
    times: list[float] = []
    begun = threading.Event()

    def sink(_stream: OutputStream, _text: str) -> None:
        times.append(time.monotonic())
        begun.set()

    provider = bench.provider
    _cancelled(bench, lambda: provider.execute_streaming(bench.request(TICKS), sink), begun=begun)
    refuse("no output came before the call was cancelled", if_true=not times)
    before = len(times)
    time.sleep(_SILENCE_SECONDS)
    expect("pieces after the return", len(times) - before, 0)


@GROUP.check("queued", needs=[Feature.SCOPE_SESSION, Feature.SCRATCH])
def queued(bench: Bench) -> None:
    """A queued call that is cancelled never runs."""
    for seconds in _QUEUES_SECONDS:
        left = _left_by_queued(bench, seconds)
        if left == "nothing\n":
            break  # else it may have had its turn before it was cancelled: with a longer queue then
    expect("what the queued program left", left, "nothing\n")


def _left_by_queued(bench: Bench, seconds: int) -> str:
    provider = bench.make(scope="session")
    first = Running(lambda: provider.execute(bench.request(OCCUPY.format(seconds))))
    time.sleep(seconds * 0.3)  # the first must have the session before the second asks for it
    _cancelled(bench, lambda: provider.execute(bench.request(LEAVE)), after=seconds * 0.2)
    first.result(LONG_SECONDS)
    return bench.run(LOOK, on=provider).stdout
