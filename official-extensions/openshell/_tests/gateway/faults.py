"""Faults on demand: requests that fail, answers that get lost, sandboxes that are slow."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field

import grpc


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One failing request.

    Attributes:
        code: What it is answered with.
        lost: Whether it is carried out all the same: only its answer gets lost.
    """

    code: grpc.StatusCode
    lost: bool = False


@dataclass
class Faults:
    """The faults that are to come.

    Attributes:
        looks: How often a new sandbox is looked at before it is ready.
        never_ready: Whether sandboxes stay in provisioning.
        break_provisioning: Whether sandboxes end in error.
        give_up: Commands with this text are given up with 124 after their first output, as after
            their time-out; empty for none.
    """

    looks: int = 0
    never_ready: bool = False
    break_provisioning: bool = False
    give_up: str = ""
    _planned: dict[str, list[Fault | None]] = field(default_factory=lambda: defaultdict(list))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(
        self,
        what: str,
        code: str = "UNAVAILABLE",
        *,
        after: int = 0,
        times: int = 1,
        lost: bool = False,
    ) -> None:
        """Let the next requests of a kind fail.

        Args:
            what: Name of the request.
            code: Name of the status.
            after: How many are answered before.
            times: How many of them fail.
            lost: Whether they are carried out and only their answers get lost.
        """
        fault = Fault(code=grpc.StatusCode[code], lost=lost)
        with self._lock:
            self._planned[what] += [None] * after + [fault] * times

    def next(self, what: str) -> Fault | None:
        """Return the fault of this request, if it has one."""
        with self._lock:
            planned = self._planned[what]
            return planned.pop(0) if planned else None
