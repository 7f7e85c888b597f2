"""The gate of one managed sandbox: counts what runs inside, and can be shut."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from harnest.sandbox import control
from harnest.sandbox.errors import SandboxClosedError
from harnest.sandbox.scope import SandboxControl

__all__ = ["Admission"]


class Admission:
    """Lets executions in until it is shut; then waits for those inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside: set[SandboxControl] = set()
        self._shut = False

    @contextlib.contextmanager
    def admitted(self, timeout_seconds: int | None) -> Iterator[SandboxControl]:
        """Open the control scope of one execution, and count it until it is left.

        Args:
            timeout_seconds: Deadline of the execution; None for none of its own.

        Raises:
            SandboxClosedError: The gate is shut.
            SandboxCancelledError: The current scope is a cleanup.
        """
        with control.execute(timeout_seconds) as scope:
            self._enter(scope)
            try:
                yield scope
            finally:
                self._leave(scope)

    def shut(self, seconds: float) -> None:
        """Admit nothing more; wait for what is inside, and cancel it if it takes longer.

        Args:
            seconds: Longest wait for executions to end by themselves, and again for cancelled
                ones to release what they hold.
        """
        with self._changed:
            self._shut = True
            if self._changed.wait_for(self._empty, seconds):
                return
            for scope in self._inside:
                scope.cancelled.set()
            self._changed.wait_for(self._empty, seconds)

    def abandon(self) -> None:
        """Admit nothing more, and end what is inside: each execution, not the call around it."""
        with self._changed:
            self._shut = True
            for scope in self._inside:
                scope.abandon()

    def _enter(self, scope: SandboxControl) -> None:
        with self._changed:
            if self._shut:
                raise SandboxClosedError
            self._inside.add(scope)

    def _leave(self, scope: SandboxControl) -> None:
        with self._changed:
            self._inside.discard(scope)
            self._changed.notify_all()

    def _empty(self) -> bool:
        return not self._inside
