"""Who waits for whom: the gate, the retained identities, and threads that are left alone."""

from __future__ import annotations

import threading
import time

import pytest
from harnest.extensions.docker.lib.run.gate import Gate
from harnest.extensions.docker.lib.run.keeper import Keeper
from harnest.extensions.docker.lib.run.patience import each, interruptible

from harnest.sandbox import SandboxCancelledError, control
from harnest.sandbox.scope import QueueTimeoutError


def test_the_gate_lets_through_in_order() -> None:
    """Who came first goes first, and never more than there are places."""
    gate = Gate(1)
    order: list[int] = []
    with control.execute(600) as scope:
        gate.wait(scope)
        threads = []
        for number in range(4):
            thread = threading.Thread(
                target=lambda n=number: (gate.wait(scope), order.append(n), gate.leave())
            )
            thread.start()
            threads.append(thread)
            while len(gate._waiting) <= number:
                time.sleep(0.001)
        assert not gate.attempt()
        gate.leave()
        for thread in threads:
            thread.join(60)
    assert order == [0, 1, 2, 3]
    assert gate.attempt()


def test_who_gives_up_loses_no_place_of_others() -> None:
    """A cancelled or late call leaves the queue, and its turn goes to the next one."""
    gate = Gate(1)
    with control.execute(600) as outer:
        gate.wait(outer)
        with control.execute(600) as late:
            late.constrain(0.01)
            with pytest.raises(QueueTimeoutError):
                gate.wait(late)
        cancelled: list[BaseException] = []

        def wait() -> None:
            with control.execute(600) as scope:
                threading.Timer(0.05, scope.cancelled.set).start()
                try:
                    gate.wait(scope)
                except SandboxCancelledError as error:
                    cancelled.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(60)
        assert len(cancelled) == 1
        gate.leave()
    assert gate.attempt()
    assert not gate._waiting


def test_a_request_that_hangs_is_left_when_the_call_is_cancelled() -> None:
    """Waiting for a slow request ends with the call, not with the request."""
    hanging = threading.Event()
    with control.execute(600) as scope:
        threading.Timer(0.05, scope.cancelled.set).start()
        with pytest.raises(SandboxCancelledError):
            interruptible(scope, lambda: hanging.wait(600) and None)
    hanging.set()


def test_an_error_of_a_background_request_comes_to_its_caller() -> None:
    """What the request raises is raised where it is waited for."""

    def fail() -> None:
        raise LookupError("why")

    with pytest.raises(LookupError, match="why"), control.execute(600) as scope:
        interruptible(scope, fail)


def test_every_item_is_worked_on_once() -> None:
    """However many work at once, each item is taken by one."""
    done: list[int] = []
    each(done.append, range(100), at_once=4)
    assert sorted(done) == list(range(100))


def test_the_keeper_beats_until_it_is_ended() -> None:
    """Idle containers hear from the host again and again, by one thread, and no more after the end."""
    beats = threading.Semaphore(0)
    threads: set[str] = set()

    def beat() -> None:
        threads.add(threading.current_thread().name)
        beats.release()

    keeper = Keeper(beat, seconds=0.005)
    keeper.start()
    keeper.start()
    for _ in range(3):
        assert beats.acquire(timeout=60)
    keeper.end()
    assert threads == {"harnest-docker-keeper"}
