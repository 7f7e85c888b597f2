"""What a provider offers to operators: what there is, what may go, what holds."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from harnest.sandbox.optional import SandboxDiagnosis, SandboxPruneReport, SandboxResource
from harnest_ext.conformance.checks import Group, expect, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("offers")

_PROCESS = re.compile(r"process [0-9]+", re.ASCII)

LEAVE = "open('mark', 'w').write('kept')"
LOOK = "print(open('mark').read())"


@GROUP.check("inventory", needs=[Feature.INVENTORY])
def inventory(bench: Bench) -> None:
    """The inventory is a tuple of resources, each with a kind and an identifier."""
    bench.run("print(1)")
    found = bench.provider.inventory()
    typed = isinstance(found, tuple) and all(isinstance(i, SandboxResource) for i in found)
    refuse("the inventory holds something else", if_true=not typed)
    refuse("a resource has no name", if_true=not all(i.kind and i.resource_id for i in found))


@GROUP.check("inventory-after-close", needs=[Feature.INVENTORY, Feature.SCOPE_SESSION])
def inventory_after_close(bench: Bench) -> None:
    """What a provider kept for a session is gone when it is closed."""
    observer = bench.make()
    before = _known(observer.inventory())
    provider = bench.make(scope="session")
    bench.run("print(1)", on=provider)
    provider.close()
    after = _known(observer.inventory())
    expect("what is left", sorted(after - before), [])


@GROUP.check(
    "prune-spares-the-living", needs=[Feature.INVENTORY, Feature.SCOPE_SESSION, Feature.SCRATCH]
)
def prune_spares_the_living(bench: Bench) -> None:
    """Pruning removes nothing of a process that lives."""
    provider = bench.make(scope="session")
    bench.run(LEAVE, on=provider)
    report = provider.prune()
    refuse("prune returned something else", if_true=not isinstance(report, SandboxPruneReport))
    expect("what the session finds", bench.run(LOOK, on=provider).stdout, "kept\n")


def _known(inventory: tuple[SandboxResource, ...]) -> set[str]:
    """Return what there is, save what is said to be another process's: it comes and goes."""
    own = f"process {os.getpid()}"
    others = {item.resource_id for item in inventory if _PROCESS.fullmatch(item.owner)}
    mine = {item.resource_id for item in inventory if item.owner == own}
    return {item.resource_id for item in inventory} - (others - mine)


@GROUP.check("diagnosis", needs=[Feature.DIAGNOSIS])
def diagnosis(bench: Bench) -> None:
    """The diagnosis is a tuple of findings, each with a stable name."""
    found = bench.provider.diagnose()
    typed = isinstance(found, tuple) and all(isinstance(i, SandboxDiagnosis) for i in found)
    refuse("the diagnosis holds something else", if_true=not (typed and found))
    refuse("a name is used twice", if_true=len({i.name for i in found}) != len(found))
