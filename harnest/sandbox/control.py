"""The controls that providers work under: deadlines, cancellation and admission of cleanup.

::

    with control.execute(30) as current, current.acquire(lock):
        current.check()
        client.call(timeout=current.remaining())

The innermost scope of a thread or task is :func:`current`. ``asyncio.to_thread`` and tasks inherit
it; a plain thread must be handed the object.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from harnest.sandbox import limits
from harnest.sandbox.authority import current_authority
from harnest.sandbox.checks import positive_int
from harnest.sandbox.errors import SandboxCancelledError
from harnest.sandbox.scope import SandboxControl

__all__ = ["cleanup", "current", "execute"]

_CURRENT: ContextVar[SandboxControl | None] = ContextVar("harnest.sandbox.control", default=None)


def current() -> SandboxControl | None:
    """Return the innermost scope of this thread or task, or None outside of any."""
    return _CURRENT.get()


@contextlib.contextmanager
def execute(timeout_seconds: int | None) -> Iterator[SandboxControl]:
    """Open an execution scope below the current one.

    Its deadline is the earliest of its own and its ancestors'. Leaving it by an exception ends
    this scope alone; a BaseException that is no Exception, or a SandboxCancelledError, cancels
    the whole call.

    Args:
        timeout_seconds: Whole seconds to its own deadline, at least 1; None for none.

    Raises:
        ValueError: The time-out is no positive int.
        SandboxCancelledError: The current scope is a cleanup, which admits no execution.
    """
    if timeout_seconds is not None:
        positive_int("timeout_seconds", timeout_seconds)
    outer = _CURRENT.get()
    if outer is not None and outer.cleanup:
        raise SandboxCancelledError("nothing may be executed during cleanup")
    scope = SandboxControl(
        opened_in=outer, timeout_seconds=timeout_seconds, authority=current_authority()
    )
    with _entered(scope):
        yield scope


@contextlib.contextmanager
def cleanup(timeout_seconds: int = limits.CLEANUP_SECONDS) -> Iterator[SandboxControl]:
    """Admit the release of resources under a fresh finite deadline, never an execution.

    The cancellation, revocation and deadline of the execution don't count in it. A nested cleanup
    has the deadline of the outer one. The scope can't interrupt Python: pass ``remaining()`` to
    every transport and ``check()`` before every step. Its handle is dead once it is left.

    Args:
        timeout_seconds: Whole seconds, at least 1.

    Raises:
        ValueError: The time-out is no positive int.
        TimeoutError: The work inside took longer than the deadline.
    """
    positive_int("timeout_seconds", timeout_seconds)
    outer = _CURRENT.get()
    nested = outer is not None and outer.cleanup
    scope = SandboxControl(
        opened_in=outer,
        timeout_seconds=None if nested else timeout_seconds,
        authority=None,
        cleanup=True,
    )
    with _entered(scope):
        yield scope
        if scope.remaining() == 0:
            raise TimeoutError("the cleanup took longer than its deadline")


@contextlib.contextmanager
def _entered(scope: SandboxControl) -> Iterator[None]:
    _CURRENT.set(scope)
    try:
        yield
    except BaseException as error:
        scope.end(error)
        raise
    else:
        scope.end(None)
    finally:
        # Scopes may be left in another order than opened (exit stacks, generators), and in another
        # context: the current one is the innermost that is still open.
        innermost = _CURRENT.get()
        if innermost is not None:
            _CURRENT.set(innermost.nearest_open())
