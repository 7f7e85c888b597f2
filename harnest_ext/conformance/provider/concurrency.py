"""Several calls at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from harnest_ext.conformance.bench import LONG_SECONDS, Running, identity
from harnest_ext.conformance.checks import Broken, Group, expect, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("concurrency")

SPAN = "import time\nbegin = time.time()\ntime.sleep({})\nprint(begin, time.time())"
SPANS_SECONDS = (0.5, 1.5, 4.5)
CALLS = 8
NUMBER = "print({}, end='')"


def _spans(
    bench: Bench, provider: object, users: list[str], seconds: float
) -> list[tuple[float, float]]:
    code = SPAN.format(seconds)
    calls = [
        Running(partial(bench.run, code, on=provider, context=identity(user_id=user)))
        for user in users
    ]
    texts = [call.result(LONG_SECONDS).stdout.split() for call in calls]
    return sorted((float(begin), float(end)) for begin, end in texts)


@GROUP.check("own-output")
def own_output(bench: Bench) -> None:
    """Each of several calls at once gets its own output."""
    provider = bench.provider
    calls = [
        Running(
            partial(bench.run, NUMBER.format(n), on=provider, context=identity(user_id=f"u{n}"))
        )
        for n in range(CALLS)
    ]
    texts = [call.result(LONG_SECONDS).stdout for call in calls]
    expect("outputs", texts, [str(n) for n in range(CALLS)])


@GROUP.check("overlap")
def overlap(bench: Bench) -> None:
    """Calls of different users overlap."""
    for seconds in SPANS_SECONDS:  # on a busy machine the second may begin much later
        spans = _spans(bench, bench.provider, ["u", "v"], seconds)
        if spans[1][0] < spans[0][1]:
            return
    raise Broken("two calls came one after the other, however long they took")


@GROUP.check("identity-serial", needs=[Feature.SCOPE_SESSION])
def identity_serial(bench: Bench) -> None:
    """Calls of one session come one after another."""
    spans = _spans(bench, bench.make(scope="session"), ["u", "u"], SPANS_SECONDS[0])
    refuse("two calls of one session overlapped", if_true=spans[1][0] < spans[0][1])
