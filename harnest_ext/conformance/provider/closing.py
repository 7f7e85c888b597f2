"""The end of a provider, and what it keeps to itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from harnest_ext.conformance.bench import Running
from harnest_ext.conformance.checks import Group, expect_raises, refuse

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("closing")

SLEEP = "import time\ntime.sleep(600)"


@GROUP.check("twice")
def twice(bench: Bench) -> None:
    """Closing again does nothing and raises nothing."""
    provider = bench.provider
    bench.run("print(1)")
    provider.close()
    provider.close()


@GROUP.check("unused")
def unused(bench: Bench) -> None:
    """A provider that never ran anything can be closed."""
    bench.provider.close()


@GROUP.check("refuses-after")
def refuses_after(bench: Bench) -> None:
    """A closed provider runs nothing any more."""
    provider = bench.provider
    provider.close()
    expect_raises(
        "a call after close", Exception, lambda: provider.execute(bench.request("print(1)"))
    )


@GROUP.check("ends-running")
def ends_running(bench: Bench) -> None:
    """Closing ends what still runs, within a bound."""
    provider = bench.provider
    call = Running(lambda: provider.execute(bench.request(SLEEP)))
    time.sleep(0.5)  # nothing tells from outside that a program has begun
    bench.within("close", provider.close)
    refuse("a call went on after close", if_true=not call.join(bench.soon))


@GROUP.check("repr")
def representation(bench: Bench) -> None:
    """A provider's repr shows nothing of what it ran."""
    bench.run("x = 'k3ptsecret'")
    refuse("the repr holds the code", if_true="k3ptsecret" in repr(bench.provider))
