"""Judge which resources nobody owns any more. Pure: facts in, verdicts out.

Nothing of a living process is ever judged abandoned. What belongs to another machine, boot or process
namespace cannot be looked at, so it is abandoned only when it is stopped, or serves a program container
that does not run, and is older than its lease.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..daemon.port import Found
from ..limits import LEASE_SECONDS
from .labels import IMAGE, LEASE, NETWORK, OWNER, PRIMARY, RESOURCE, SERVICE_RESOURCE, TOPOLOGY
from .owner import Owner, Verdict

REMOVAL_ORDER = (PRIMARY, SERVICE_RESOURCE, NETWORK, IMAGE)
_STOPPED = ("created", "exited", "dead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One resource of ours on the daemon.

    Attributes:
        kind: what its label says that it is: ``primary``, ``service``, ``network`` or ``image``.
        found: what the daemon says of it.
        verdict: what is known of its owner.
    """

    kind: str
    found: Found
    verdict: Verdict

    @property
    def topology(self) -> str:
        """The topology that it is a part of."""
        return self.found.labels.get(TOPOLOGY, "")


def resource_of(found: Found) -> Resource:
    """Return *found* with what is known of its owner; one without a readable owner is elsewhere."""
    try:
        verdict = Owner.parse(found.labels.get(OWNER, "")).verdict()
    except ValueError:
        verdict = Verdict.ELSEWHERE
    return Resource(kind=found.labels.get(RESOURCE, ""), found=found, verdict=verdict)


def abandoned(resources: Iterable[Resource], now: float) -> list[Resource]:
    """Return what can be removed, in the order in which it must be; *now* is seconds since the epoch."""
    known = list(resources)
    inhabited = {item.topology for item in known if item.kind == PRIMARY and not _stopped(item)}
    present = {item.topology for item in known if item.kind in (PRIMARY, SERVICE_RESOURCE)}
    left = [
        item
        for item in known
        if item.kind in REMOVAL_ORDER
        and (
            item.verdict is Verdict.GONE
            or (
                item.verdict is Verdict.ELSEWHERE
                and now - item.found.created > _lease(item)
                and _useless(item, inhabited, present)
            )
        )
    ]
    return sorted(left, key=lambda item: REMOVAL_ORDER.index(item.kind))


def _useless(item: Resource, inhabited: set[str], present: set[str]) -> bool:
    if item.kind == PRIMARY:
        return _stopped(item)
    if item.kind == SERVICE_RESOURCE:
        return _stopped(item) or item.topology not in inhabited
    # An image of another machine may be wanted there again.
    return item.kind == NETWORK and item.topology not in present


def _stopped(item: Resource) -> bool:
    return item.found.status in _STOPPED


def _lease(item: Resource) -> float:
    text = item.found.labels.get(LEASE, "")
    return max(LEASE_SECONDS, float(text)) if text.isdigit() else LEASE_SECONDS
