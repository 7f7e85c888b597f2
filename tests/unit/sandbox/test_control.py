"""Control scopes: deadlines, cancellation, revocation and cleanup, over real threads and tasks."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from harnest.sandbox import SandboxCancelledError, SandboxContext, control
from harnest.sandbox.authority import ExecutionAuthority, acting_as, current_authority
from tests.fakes.provider import until_stopped
from tests.support.waiting import LONG

if TYPE_CHECKING:
    from harnest.sandbox.scope import SandboxControl


def outcome(scope: SandboxControl) -> str:
    """Return what ``check`` says, asked from another thread."""
    with ThreadPoolExecutor(1) as pool:
        error = pool.submit(scope.check).exception()
    return "" if error is None else type(error).__name__


def due_in(scope: SandboxControl, seconds: float, *, since: float) -> bool:
    """Whether a deadline that was set after an instant is that many seconds from its setting."""
    deadline = scope.deadline
    return deadline is not None and since <= deadline - seconds <= time.monotonic()


@pytest.mark.parametrize("seconds", [0, -1, True, False, 1.5, "5", float("inf")])
def test_a_scopes_time_out_is_a_positive_int(seconds: Any) -> None:
    """Both kinds refuse anything else before they open; a cleanup is never endless."""
    for kind in (control.execute, control.cleanup):
        with pytest.raises(ValueError, match="timeout_seconds"):
            kind(seconds).__enter__()
    with pytest.raises(ValueError, match="timeout_seconds"):
        control.cleanup(None).__enter__()  # type: ignore[arg-type]
    assert control.current() is None


def test_the_current_scope_is_the_innermost() -> None:
    """Scopes nest, and leaving one brings back the one around it."""
    assert control.current() is None
    with control.execute(None) as outer:
        assert control.current() is outer
        with control.execute(100) as inner, control.cleanup() as cleanup:
            assert control.current() is cleanup
            assert inner is not outer
        assert control.current() is outer
    assert control.current() is None


def test_a_deadline_is_the_earliest_around_it() -> None:
    """An inner scope can't outlive the outer one, and leaving it leaves the outer one as it was."""
    with control.execute(None) as free:
        assert free.deadline is None
        assert free.remaining() is None
        with control.execute(100) as outer:
            with control.execute(1000) as inner:
                assert inner.deadline == outer.deadline
            begun = time.monotonic()
            with control.execute(10) as short:
                assert due_in(short, 10, since=begun)
                assert short.deadline != outer.deadline
            remaining = outer.remaining()
            assert remaining is not None
            assert 0 < remaining <= 100
        assert free.remaining() is None


def test_an_ancestor_that_is_tightened_later_tightens_its_descendants() -> None:
    """A deadline is looked up when it is asked for, not copied when a scope opens."""
    with control.execute(100) as outer, control.execute(100) as inner:
        outer.constrain(0)
        assert inner.remaining() == 0
        with pytest.raises(TimeoutError):
            inner.check()


def test_a_constraint_only_tightens() -> None:
    """A later deadline changes nothing, an earlier one counts, and time never runs below zero."""
    begun = time.monotonic()
    with control.execute(10) as scope:
        scope.constrain(1000)
        scope.constrain(float("inf"))
        assert due_in(scope, 10, since=begun)
        begun = time.monotonic()
        scope.constrain(0.5)
        assert due_in(scope, 0.5, since=begun)
        scope.constrain(0)
        assert scope.remaining() == 0.0
        for wrong in (-1, float("nan"), True, "1", None):
            with pytest.raises(ValueError, match="seconds"):
                scope.constrain(wrong)  # type: ignore[arg-type]


def test_a_real_deadline_passes() -> None:
    """A scope of one second is over after one second, also for a thread that waits in it."""
    begun = time.monotonic()
    with control.execute(1), pytest.raises(TimeoutError):
        until_stopped()
    assert time.monotonic() - begun >= 1


@pytest.mark.parametrize("error", [ValueError, TimeoutError, OSError])
def test_an_ordinary_error_ends_its_scope_alone(error: type[Exception]) -> None:
    """Workers of the failed scope stop; the outer scope and later siblings go on."""
    with control.execute(100) as outer:
        with (
            control.execute(100) as sibling,
            pytest.raises(error),
            control.execute(100) as inner,
            control.execute(100) as innermost,
        ):
            raise error
        assert outcome(inner) == outcome(innermost) == "ScopeEndedError"
        assert outcome(sibling) == outcome(outer) == ""
        assert not outer.cancelled.is_set()


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, asyncio.CancelledError, SystemExit, SandboxCancelledError]
)
def test_an_interrupt_cancels_the_whole_call(error: type[BaseException]) -> None:
    """Caught or not, it reaches every scope of the call, and only of this call."""
    with control.execute(100) as other:
        pass
    with control.execute(None) as outer:
        with pytest.raises(error), control.execute(100):
            raise error
        assert outer.cancelled.is_set()
        assert outcome(outer) == "SandboxCancelledError"
        with control.execute(100) as later:
            assert outcome(later) == "SandboxCancelledError"
    assert outcome(other) == ""


def test_a_scope_that_is_over_elsewhere_does_not_cancel_the_call() -> None:
    """The error of a worker whose scope had failed stays as local as the failure was."""
    with control.execute(None) as outer:
        with pytest.raises(ValueError, match="local"), control.execute(None) as inner:
            raise ValueError("local")
        with pytest.raises(SandboxCancelledError), control.execute(None):
            inner.check()
        outer.check()


def test_the_reasons_to_stop_come_in_order() -> None:
    """Failed before cancelled, cancelled before revoked, revoked before late."""
    revoked = threading.Event()
    authority = ExecutionAuthority(context=SandboxContext(), revoked=revoked.is_set)
    with acting_as(authority), control.execute(None) as scope:
        scope.constrain(0)
        with pytest.raises(TimeoutError):
            scope.check()
        revoked.set()
        with pytest.raises(SandboxCancelledError, match="invocation"):
            scope.check()
        scope.cancelled.set()
        with pytest.raises(SandboxCancelledError, match="was cancelled"):
            scope.check()
        scope.abandon()
        with pytest.raises(SandboxCancelledError, match="part of the execution"):
            scope.check()


def test_revocation_reaches_work_in_other_threads_and_scopes_below() -> None:
    """The authority is captured where a scope opens, and asked wherever it is checked."""
    revoked = threading.Event()
    authority = ExecutionAuthority(context=SandboxContext("a"), revoked=revoked.is_set)
    with acting_as(authority):
        assert current_authority() is authority
        with control.execute(None) as outer, acting_as(None), control.execute(None) as inner:
            assert outcome(inner) == ""
            revoked.set()
            assert outcome(inner) == outcome(outer) == "SandboxCancelledError"
    assert current_authority() is None


def test_a_lock_is_waited_for_within_the_deadline() -> None:
    """Queue time counts: the wait ends with a TimeoutError, and the lock was never held."""
    lock = threading.Lock()
    with lock, control.execute(100) as scope:
        begun = time.monotonic()
        scope.constrain(0.1)
        with pytest.raises(TimeoutError) as caught, scope.acquire(lock):
            pytest.fail("the lock is held by another")
        assert time.monotonic() - begun >= 0.1
        assert caught.value.phase == "queue"  # type: ignore[attr-defined]
    assert not lock.locked()


def test_queued_work_that_is_cancelled_never_runs() -> None:
    """Cancelling a call ends its wait for a lock at once, without the lock."""
    lock, waiting, ran = threading.Lock(), threading.Event(), threading.Event()

    def queued(scope: SandboxControl) -> None:
        waiting.set()
        with scope.acquire(lock):
            ran.set()

    with ThreadPoolExecutor(1) as pool, control.execute(None) as scope, lock:
        future = pool.submit(queued, scope)
        assert waiting.wait(LONG)
        scope.cancelled.set()
        assert isinstance(future.exception(LONG), SandboxCancelledError)
    assert not ran.is_set()
    assert not lock.locked()


def test_a_lock_that_comes_too_late_is_given_back() -> None:
    """A scope that ended between the wait and the lock does not keep it."""

    class LateLock:
        """Ends the scope while it is being acquired."""

        def __init__(self) -> None:
            self.held = 0

        def acquire(self, *, timeout: float) -> bool:
            assert 0 <= timeout <= 0.05
            self.held += 1
            scope.cancelled.set()
            return True

        def release(self) -> None:
            self.held -= 1

    lock = LateLock()
    with (
        control.execute(None) as scope,
        pytest.raises(SandboxCancelledError),
        scope.acquire(lock),
    ):
        pytest.fail("the call was cancelled")
    assert lock.held == 0


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock, threading.BoundedSemaphore])
def test_every_kind_of_lock_is_taken_and_given_back(make: Any) -> None:
    """Locks, re-entrant locks and semaphores; also when the body raises."""
    lock = make()
    for _ in range(3):
        with pytest.raises(KeyError), control.execute(100) as scope, scope.acquire(lock):
            raise KeyError
    assert lock.acquire(blocking=False)


def test_a_cleanup_ignores_how_the_execution_ended() -> None:
    """Late, cancelled, revoked or failed: resources are still released under a fresh deadline."""
    authority = ExecutionAuthority(context=SandboxContext(), revoked=lambda: True)
    with acting_as(authority), control.execute(1) as scope:
        scope.constrain(0)
        scope.cancelled.set()
        scope.abandon()
        begun = time.monotonic()
        with control.cleanup() as cleanup:
            cleanup.check()
            assert due_in(cleanup, 5, since=begun)
            assert not cleanup.cancelled.is_set()
            assert control.current() is cleanup
        assert control.current() is scope


def test_a_nested_cleanup_can_not_renew_the_deadline() -> None:
    """It has what is left of the outer one, however much it asks for."""
    with control.cleanup(10) as outer:
        with control.cleanup(1000) as inner:
            assert inner.deadline == outer.deadline
            inner.check()
        assert outcome(inner) == "ScopeEndedError"
        assert outcome(outer) == ""


def test_nothing_is_executed_during_cleanup() -> None:
    """Opening an execution scope inside a cleanup is refused as cancelled."""
    with control.cleanup() as cleanup:
        with pytest.raises(SandboxCancelledError, match="during cleanup"):
            control.execute(None).__enter__()
        cleanup.check()


def test_a_cleanup_handle_is_dead_after_it_was_left() -> None:
    """A worker that kept it can neither go on nor wait."""
    with control.cleanup(100) as cleanup:
        pass
    assert outcome(cleanup) == "ScopeEndedError"
    assert cleanup.remaining() == 0.0


def test_a_cleanup_that_takes_too_long_raises() -> None:
    """Work inside is told by check, and the scope itself never ends late in silence."""
    with pytest.raises(TimeoutError), control.cleanup(1) as cleanup:
        cleanup.constrain(0)
    late = control.cleanup(1)
    late.__enter__().constrain(0)
    assert not late.__exit__(KeyError, KeyError(), None)


def test_a_failing_cleanup_leaves_the_execution_alone() -> None:
    """Even an interrupt inside it cancels nothing by itself."""
    with control.execute(None) as scope:
        for error in (ValueError, KeyboardInterrupt):
            with pytest.raises(error), control.cleanup():
                raise error
        scope.check()


def test_threads_are_handed_the_scope_and_tasks_inherit_it() -> None:
    """A plain thread has no current scope; to_thread, tasks and copied contexts do."""

    async def inherited() -> list[SandboxControl | None]:
        async def task() -> SandboxControl | None:
            return control.current()

        return [await asyncio.to_thread(control.current), await asyncio.create_task(task())]

    async def main() -> None:
        with control.execute(100) as scope:
            assert await inherited() == [scope, scope]

    asyncio.run(main())
    with control.execute(100) as scope, ThreadPoolExecutor(1) as pool:
        assert pool.submit(control.current).result() is None
        assert pool.submit(contextvars.copy_context().run, control.current).result() is scope


def test_concurrent_tasks_have_scopes_of_their_own() -> None:
    """Scopes of interleaved tasks don't see each other; a cancelled task stops its own threads."""

    async def work(started: threading.Event) -> None:
        with control.execute(None):
            await asyncio.to_thread(until_stopped, started)

    async def quiet(cancelled: asyncio.Event) -> bool:
        with control.execute(None) as scope:
            await cancelled.wait()
            return control.current() is scope and not scope.cancelled.is_set()

    async def main() -> None:
        started, cancelled = threading.Event(), asyncio.Event()
        other = asyncio.create_task(quiet(cancelled))
        task = asyncio.create_task(work(started))
        assert await asyncio.to_thread(started.wait, LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled.set()
        assert await other
        assert control.current() is None

    asyncio.run(main())  # which joins the pool's thread: it has stopped by itself


def test_a_scope_closed_in_another_context_leaves_that_one_alone() -> None:
    """An abandoned generator is finalised wherever; nobody's current scope changes by it."""

    def generator() -> Any:
        with control.execute(None) as scope:
            yield scope

    suspended = generator()
    foreign = contextvars.copy_context()
    scope = foreign.run(next, suspended)
    with control.execute(None) as mine:
        suspended.close()
        assert control.current() is mine
        mine.check()
    assert outcome(scope) == "ScopeEndedError"
