"""What one topology owns, as a pure state machine: nothing it asked for is ever forgotten.

A resource is written down *before* the request that creates it, under a name of our own choosing, so
that one whose answer was lost can still be found and removed.
"""

import threading
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What the daemon keeps for us."""

    PRIMARY = "primary"
    SERVICE = "service"
    NETWORK = "network"


_REMOVAL_ORDER = (Kind.PRIMARY, Kind.SERVICE, Kind.NETWORK)


class State(Enum):
    """What is known of a resource."""

    REQUESTED = "requested"
    OWNED = "owned"
    UNCONFIRMED = "unconfirmed"
    GONE = "gone"


_ALLOWED = {
    State.REQUESTED: {State.OWNED, State.UNCONFIRMED, State.GONE},
    State.OWNED: {State.UNCONFIRMED, State.GONE},
    State.UNCONFIRMED: {State.UNCONFIRMED, State.GONE},
    State.GONE: set[State](),
}


@dataclass(slots=True, kw_only=True, eq=False)
class Holding:
    """One resource; *handle* is its id, or its name until the id is known.

    Attributes:
        unseen: whether its creation got no answer and it was not found: it may be made later.
    """

    kind: Kind
    name: str
    handle: str
    state: State = State.REQUESTED
    unseen: bool = False

    def _become(self, state: State) -> None:
        if state not in _ALLOWED[self.state]:
            raise ValueError(f"a {self.state.value} resource cannot become {state.value}")
        self.state = state

    def owned(self, identifier: str) -> None:
        """The daemon confirmed its creation."""
        self._become(State.OWNED)
        self.handle = identifier

    def gone(self) -> None:
        """The daemon confirmed that it does not exist."""
        self._become(State.GONE)

    def unconfirmed(self) -> None:
        """Its removal was asked for, and nobody knows what came of it."""
        self._become(State.UNCONFIRMED)

    @property
    def lost(self) -> bool:
        """Whether the answer to its creation never came, so that its name may be somebody else's."""
        return self.handle == self.name


class Estate:
    """Everything of one topology, in the order in which it was asked for."""

    def __init__(self, topology: str) -> None:
        self.topology = topology
        self._lock = threading.Lock()
        self._holdings: list[Holding] = []

    def request(self, kind: Kind, name: str) -> Holding:
        """Write down what is about to be asked for."""
        holding = Holding(kind=kind, name=name, handle=name)
        with self._lock:
            self._holdings.append(holding)
        return holding

    @property
    def remaining(self) -> list[Holding]:
        """What must still be removed, in order: the primary, services in reverse, the network."""
        with self._lock:
            left = [item for item in reversed(self._holdings) if item.state is not State.GONE]
        return sorted(left, key=lambda item: _REMOVAL_ORDER.index(item.kind))

    @property
    def unseen(self) -> list[Holding]:
        """What was asked for and never seen."""
        with self._lock:
            return [item for item in self._holdings if item.unseen]

    @property
    def settled(self) -> bool:
        """Whether nothing is left."""
        return not self.remaining
