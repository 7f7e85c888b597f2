"""The control of one execution or cleanup: its deadline, its cancellation, its authority.

Scopes form a tree. What ends an ancestor ends its descendants; what ends one scope leaves its
siblings alone, unless the whole call is cancelled. Every method may be called from any thread.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Protocol

from harnest.sandbox import limits
from harnest.sandbox.authority import ExecutionAuthority
from harnest.sandbox.errors import SandboxCancelledError

__all__ = ["Lockable", "QueueTimeoutError", "SandboxControl", "ScopeEndedError"]


class Lockable(Protocol):
    """What :meth:`SandboxControl.acquire` takes: a lock, a re-entrant lock or a semaphore."""

    def acquire(self, *, timeout: float) -> bool:
        """Wait at most ``timeout`` seconds; tell whether it was obtained."""
        ...

    def release(self) -> None:
        """Give it back."""
        ...


class ScopeEndedError(SandboxCancelledError):
    """This scope or an ancestor is over.

    It says nothing about the rest of the call: passing through another scope it stays local.
    """


class QueueTimeoutError(TimeoutError):
    """The deadline passed while a lock was waited for.

    Attributes:
        phase: Always ``queue``.
    """

    phase = "queue"


class SandboxControl:
    """Handle of one scope; made by :mod:`harnest.sandbox.control`.

    Args:
        opened_in: Scope that was the current one. It becomes the parent, unless this is a cleanup
            and that is none: a cleanup stands apart from the execution that it cleans up after.
        timeout_seconds: Seconds from now to the scope's own deadline; None for none.
        authority: Authority captured where the scope was opened.
        cleanup: Whether it admits the release of resources only.

    Attributes:
        cancelled: Set for the whole call at once: its root and every scope below it.
        cleanup: Whether this is a cleanup scope.
    """

    __slots__ = (
        "_authority",
        "_closed",
        "_deadline",
        "_failed",
        "_lock",
        "_opened_in",
        "_parent",
        "cancelled",
        "cleanup",
    )

    cancelled: threading.Event
    cleanup: bool

    def __init__(
        self,
        *,
        opened_in: SandboxControl | None,
        timeout_seconds: float | None,
        authority: ExecutionAuthority | None,
        cleanup: bool = False,
    ) -> None:
        apart = opened_in is None or (cleanup and not opened_in.cleanup)
        parent = None if apart else opened_in
        self.cancelled = threading.Event() if parent is None else parent.cancelled
        self.cleanup = cleanup
        self._authority = authority
        self._closed = False
        self._deadline = None if timeout_seconds is None else _from_now(timeout_seconds)
        self._failed = False
        self._lock = threading.Lock()
        self._opened_in = opened_in
        self._parent = parent

    @property
    def deadline(self) -> float | None:
        """The earliest deadline of this scope and its ancestors on ``time.monotonic()``."""
        inherited = None if self._parent is None else self._parent.deadline
        own = self._deadline
        if own is None or inherited is None:
            return inherited if own is None else own
        return min(own, inherited)

    @property
    def failed(self) -> bool:
        """Whether this scope or an ancestor was left by an exception, or is a finished cleanup."""
        return self._failed or (self._parent is not None and self._parent.failed)

    @property
    def revoked(self) -> bool:
        """Whether an authority that this scope or an ancestor was opened under has ended."""
        if self._authority is not None and self._authority.revoked():
            return True
        return self._parent is not None and self._parent.revoked

    def remaining(self) -> float | None:
        """Return the seconds left, never below 0, or None without a deadline.

        Pass it on as the time-out of every blocking call. A handle whose cleanup is over has 0.
        """
        if self.cleanup and self._closed:
            return 0.0
        deadline = self.deadline
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    def check(self) -> None:
        """Refuse to go on when the scope, the call, the authority or the deadline is gone.

        Raises:
            SandboxCancelledError: As :meth:`check_wanted`.
            TimeoutError: The deadline has passed.
        """
        self.check_wanted()
        if self.remaining() == 0:
            raise TimeoutError("the deadline of the sandbox execution has passed")

    def check_wanted(self) -> None:
        """Refuse to go on when nobody may take the outcome any more, whatever the deadline.

        Raises:
            SandboxCancelledError: The scope or an ancestor ended by an exception, or is a cleanup
                that is over; the call was cancelled; the invocation was revoked.
        """
        if self.failed:
            raise ScopeEndedError("this part of the execution is over")
        if self.cancelled.is_set():
            raise SandboxCancelledError("the execution was cancelled")
        if self.revoked:
            raise SandboxCancelledError("the invocation that asked for the execution is over")

    def constrain(self, seconds: float) -> None:
        """Tighten this scope's deadline to at most ``seconds`` from now; it never loosens one.

        Args:
            seconds: A number of at least 0; 0 ends the scope at its next check.

        Raises:
            ValueError: It is negative or no number.
        """
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise ValueError("seconds must be a number")  # noqa: TRY004 - a scalar of the contract: ValueError
        if not seconds >= 0:  # neither negative nor NaN
            raise ValueError("seconds must be at least 0")
        limit = _from_now(seconds)
        with self._lock:
            self._deadline = limit if self._deadline is None else min(self._deadline, limit)

    @contextlib.contextmanager
    def acquire(self, lock: Lockable) -> Iterator[None]:
        """Hold ``lock``; the wait counts against the deadline and ends when the call does.

        Args:
            lock: A ``threading`` lock, re-entrant lock or semaphore.

        Raises:
            SandboxCancelledError: As :meth:`check`.
            TimeoutError: As :meth:`check`.
        """
        self.check()
        while not lock.acquire(timeout=self._slice()):
            self._check_queued()
        try:
            self.check()
            yield
        finally:
            lock.release()

    def _check_queued(self) -> None:
        try:
            self.check()
        except TimeoutError:
            expired = True
        else:
            expired = False
        if expired:
            raise QueueTimeoutError("the deadline passed while the execution was queued")

    def _slice(self) -> float:
        remaining = self.remaining()
        if remaining is None:
            return limits.LOCK_SLICE_SECONDS
        return min(limits.LOCK_SLICE_SECONDS, remaining)

    def abandon(self) -> None:
        """End this scope and those below it, from any thread; the rest of the call goes on."""
        self._failed = True

    def end(self, error: BaseException | None) -> None:
        """Close the scope; called once, by the context manager that opened it.

        Args:
            error: What the scope was left by; None if it ran to its end.
        """
        self._closed = True
        if error is not None or self.cleanup:
            self._failed = True
        if error is not None and _cancels_call(error):
            self.cancelled.set()

    def nearest_open(self) -> SandboxControl | None:
        """Return this scope, or the one it was opened in, and so on, that was not left yet."""
        if not self._closed:
            return self
        return None if self._opened_in is None else self._opened_in.nearest_open()


def _from_now(seconds: float) -> float:
    # An int may have more digits than a float can take.
    return time.monotonic() + min(seconds, limits.DEADLINE_SECONDS)


def _cancels_call(error: BaseException) -> bool:
    if isinstance(error, ScopeEndedError):
        return False
    return isinstance(error, SandboxCancelledError) or not isinstance(error, Exception)
