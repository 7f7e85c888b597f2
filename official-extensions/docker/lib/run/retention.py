"""Keep topologies for the identities that may meet them again; the least recently used one goes first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harnest.sandbox import SandboxContext
from harnest.sandbox.scope import SandboxControl

from ..contracts.scope import DockerScope
from ..errors import DockerCleanupError, Phase
from ..limits import CHECK_SECONDS
from .call import Call, Identity
from .gate import Gate
from .patience import removal_patience
from .topology import Topology


def identity_of(scope: DockerScope, context: SandboxContext) -> Identity:
    """Return who may meet the same container again; empty for nobody.

    Raises:
        ValueError: a part that the scope needs is unknown.
    """
    parts = {name: getattr(context, name) for name in scope.identity}
    missing = [name for name, value in parts.items() if not value]
    if missing:
        raise ValueError(
            f"scope {scope.value!r} needs an identity; unknown is {', '.join(missing)}"
        )
    return tuple(parts.values())


class Slot:
    """The place of one identity: its calls come one after the other."""

    def __init__(self) -> None:
        self.gate = Gate(1)
        self.users = 0
        self.leaving = False
        self.topology: Topology | None = None


class Retention:
    """At most *most* identities' topologies.

    *discard* removes one, waits for that many seconds at most, and tells whether it is gone.
    """

    def __init__(self, most: int, discard: Callable[[Topology, float], bool]) -> None:
        self._most = most
        self._discard = discard
        self._changed = threading.Condition()
        self._slots: OrderedDict[Identity, Slot] = OrderedDict()

    @contextmanager
    def lent(self, call: Call) -> Iterator[Slot]:
        """Hold the slot of the call's identity; whatever topology is in it at the end is retained.

        Raises:
            DockerCleanupError: another identity had to go for this one and could not be removed.
            QueueTimeoutError: the deadline passed in the queue.
        """
        with call.journal.step(Phase.QUEUE):
            slot = self._reserve(call.identity, call.scope)
        try:
            with call.journal.step(Phase.QUEUE):
                slot.gate.wait(call.scope)
            with slot.gate.inside():
                yield slot
        finally:
            self._give_back(call.identity, slot)

    def beat(self) -> None:
        """Speak to every idle topology."""
        with self._changed:
            slots = list(self._slots.values())
        for slot in slots:
            if slot.gate.attempt():
                with slot.gate.inside():
                    if slot.topology is not None:
                        slot.topology.beat()

    def drain(self) -> list[Topology]:
        """Take every topology out, those in use too."""
        with self._changed:
            slots = list(self._slots.values())
            self._slots.clear()
            self._changed.notify_all()
        return [slot.topology for slot in slots if slot.topology is not None]

    def _reserve(self, identity: Identity, scope: SandboxControl) -> Slot:
        while True:
            scope.check()
            with self._changed:
                slot = self._admitted(identity)
                if slot is not None:
                    return slot
                victim = self._victim()
                if victim is None:
                    # Everybody is busy, or on the way out: one of them will be done.
                    self._changed.wait(CHECK_SECONDS)
                    continue
            self._evict(*victim, scope)

    def _admitted(self, identity: Identity) -> Slot | None:
        slot = self._slots.get(identity)
        if slot is None and len(self._slots) < self._most:
            slot = self._slots[identity] = Slot()
        if slot is None or slot.leaving:
            return None
        slot.users += 1
        self._slots.move_to_end(identity)
        return slot

    def _victim(self) -> tuple[Identity, Slot] | None:
        for identity, slot in self._slots.items():
            if not slot.users and not slot.leaving:
                slot.leaving = True
                return identity, slot
        return None

    def _evict(self, identity: Identity, slot: Slot, scope: SandboxControl) -> None:
        gone = False
        try:
            gone = slot.topology is None or self._discard(slot.topology, removal_patience(scope))
        finally:
            with self._changed:
                if self._slots.get(identity) is slot:
                    del self._slots[identity]
                self._changed.notify_all()
        if not gone:
            scope.check()
            raise DockerCleanupError(
                Phase.CLEANUP,
                "the least recently used container could not be removed, so no other takes its "
                "place; it is tried again with the next call",
            )

    def _give_back(self, identity: Identity, slot: Slot) -> None:
        with self._changed:
            slot.users -= 1
            empty = slot.topology is None and not slot.users
            if empty and self._slots.get(identity) is slot:
                del self._slots[identity]
            self._changed.notify_all()
