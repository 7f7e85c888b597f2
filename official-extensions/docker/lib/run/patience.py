"""Do slow work in threads without losing sight of cancellation, the deadline and the program's end."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from harnest.sandbox.scope import SandboxControl

from ..limits import CHECK_SECONDS, CLEANUP_SECONDS, LATE_SECONDS

T = TypeVar("T")


def interruptible(scope: SandboxControl, work: Callable[[], None]) -> None:
    """Run *work* in a thread of its own and wait for it, looking at *scope* every 50 ms.

    When the scope ends, the thread is left to its own time-out: *work* must only do what may go on.
    """
    done = threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, not swallowed
            failures.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="harnest-docker-request", daemon=True).start()
    while not done.wait(CHECK_SECONDS):
        scope.check()
    if failures:
        raise failures[0]


def removal_patience(scope: SandboxControl) -> float:
    """Return how many seconds a call waits for a removal: to its deadline and a little longer."""
    remaining = scope.remaining()
    return CLEANUP_SECONDS if remaining is None else min(CLEANUP_SECONDS, remaining + LATE_SECONDS)


def in_background(work: Callable[[], None], name: str) -> threading.Thread | None:
    """Run *work* in a daemon thread; None if the interpreter starts none any more."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # From Python 3.12 on no thread starts while the interpreter shuts down.
        return None
    return thread


def each(work: Callable[[T], object], items: Iterable[T], *, at_once: int) -> None:
    """Do *work* for every item, *at_once* of them at the same time; the caller's thread takes part."""
    waiting = deque(items)

    def take() -> None:
        while waiting:
            try:
                item = waiting.popleft()
            except IndexError:
                return
            work(item)

    helpers = [
        in_background(take, "harnest-docker-work") for _ in range(min(len(waiting), at_once) - 1)
    ]
    take()
    for helper in helpers:
        if helper is not None:
            helper.join()
