"""Wait for a slow request without losing sight of cancellation and the deadline."""

import threading
from collections.abc import Callable

from harnest.sandbox.scope import SandboxControl

from ..limits import CHECK_SECONDS


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
