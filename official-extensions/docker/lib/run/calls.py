"""Know the calls that run now: to wait for them, and to end them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harnest.sandbox.errors import SandboxClosedError
from harnest.sandbox.scope import SandboxControl


class Calls:
    """The scopes of running calls; none enters once it is shut."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: set[SandboxControl] = set()
        self._shut = False

    @contextmanager
    def running(self, scope: SandboxControl) -> Iterator[None]:
        """Count a call.

        Raises:
            SandboxClosedError: no call may begin any more.
        """
        with self._changed:
            if self._shut:
                raise SandboxClosedError
            self._running.add(scope)
        try:
            yield
        finally:
            with self._changed:
                self._running.discard(scope)
                self._changed.notify_all()

    def quiet(self, seconds: float) -> bool:
        """Wait until no call runs, at most *seconds*; return whether none does."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def shut(self, seconds: float) -> None:
        """Let no call begin; wait for those that run, then cancel them and wait again."""
        with self._changed:
            self._shut = True
        if not self.quiet(seconds):
            with self._changed:
                for scope in self._running:
                    scope.cancelled.set()
            self.quiet(seconds)
