"""The deadline of a block ends that block alone."""

from __future__ import annotations

import socket
import sys
import threading

from harnest_ext.sources.net.watch import Watch
from tests.support.waiting import LONG, until

SECONDS = (0.1, 1.0, 10.0)
"""Deadlines for something that comes before them, tried in turn."""


class Slow(socket.socket):
    """One that takes its time to be taken note of."""

    def __init__(self) -> None:
        super().__init__()
        self.noted = threading.Event()
        self.go = threading.Event()

    def __hash__(self) -> int:
        self.noted.set()
        assert self.go.wait(LONG)
        return id(self)


def ends() -> bool:
    """Whether the timer of a watch has run off and is at work."""
    return any(frame.f_code.co_name == "_end" for frame in sys._current_frames().values())


def held_up(watch: Watch, seconds: float) -> threading.Event | None:
    """Have a block whose timer is held up until it is over; return what lets the timer go on.

    None if the timer came first.
    """
    slow = Slow()

    def take_note() -> None:
        with slow:
            watch.add(slow)

    with watch.deadline(seconds):
        threading.Thread(target=take_note).start()
        assert slow.noted.wait(LONG)
        if not watch.over:
            until(ends)
            return slow.go
    slow.go.set()
    return None


def test_a_timer_that_comes_too_late_ends_nothing() -> None:
    """Its block is over, and the next one has its own time."""
    watch = Watch()
    go = next(go for seconds in SECONDS if (go := held_up(watch, seconds)))
    one, other = socket.socketpair()
    threading.Timer(0.1, go.set).start()  # whatever the next block begins with
    with one, other, watch.deadline(LONG):
        watch.add(one)
        until(lambda: not ends())
        assert not watch.over
        other.sendall(b"x")
        assert one.recv(1) == b"x"


def test_a_deadline_shuts_what_is_connected() -> None:
    """Whoever reads is woken, and what is connected afterwards is shut as well."""
    watch = Watch()
    one, other = socket.socketpair()
    with one, other, watch.deadline(0):
        watch.add(one)
        assert one.recv(1) == b""
        assert watch.over
        watch.add(other)
        assert other.recv(1) == b""
