"""Find everything of this extension on a daemon, whoever made it, and remove what nobody owns."""

import time
from dataclasses import dataclass

from ..daemon.port import Daemon, DaemonFault, Fault
from ..limits import API_SECONDS
from ..plan.labels import IMAGE, NETWORK, OURS
from ..plan.leftovers import Resource, abandoned, resource_of

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What came of a removal of leftovers."""

    removed: tuple[Resource, ...]
    kept: tuple[Resource, ...]


def find(daemon: Daemon, *, images: bool = True, seconds: float = API_SECONDS) -> list[Resource]:
    """Return every resource of ours, within *seconds*.

    Raises:
        DaemonFault: the daemon does not answer.
    """
    deadline = time.monotonic() + seconds
    found = daemon.containers(OURS, seconds) + daemon.networks(OURS, _left(deadline))
    if images:
        found += daemon.images(OURS, _left(deadline))
    return [resource_of(item) for item in found]


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def prune(daemon: Daemon, *, images: bool, seconds: float) -> Pruned:
    """Remove what nobody owns any more, within *seconds*.

    Raises:
        DaemonFault: the daemon does not answer when it is asked what there is.
    """
    deadline = time.monotonic() + seconds
    left = abandoned(find(daemon, images=images, seconds=seconds), time.time())
    removed = [item for item in left if _remove(daemon, item, deadline)]
    return Pruned(removed=tuple(removed), kept=tuple(item for item in left if item not in removed))


def _remove(daemon: Daemon, item: Resource, deadline: float) -> bool:
    while (left := deadline - time.monotonic()) > 0:
        try:
            if item.kind == NETWORK:
                daemon.remove_network(item.found.id, left)
            elif item.kind == IMAGE:
                daemon.remove_image(item.found.id, left)
            else:
                daemon.remove(item.found.id, left)
        except DaemonFault as fault:
            if fault.fault is Fault.NOT_FOUND:
                return True
            if fault.fault is not Fault.IN_PROGRESS:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True
    return False
