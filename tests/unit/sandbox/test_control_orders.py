"""Control scopes of threads and tasks keep their promises in whatever order things happen."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from harnest.sandbox import SandboxCancelledError, SandboxContext, control
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from harnest.sandbox.scope import ScopeEndedError
from tests.fakes.actors import Stage

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from harnest.sandbox.scope import SandboxControl
    from tests.fakes.actors import TaskActor, ThreadActor

LOCAL = (ValueError, TimeoutError, ScopeEndedError)
CREW = 4
"""Most workers at a time: with more of them their scopes rarely meet."""
CALL_WIDE = (KeyboardInterrupt, asyncio.CancelledError, SandboxCancelledError)


@dataclass(eq=False)
class Call:
    """What the scopes of one call share."""

    cancelled: bool = False


@dataclass(eq=False)
class Grant:
    """An invocation's authority."""

    revoked: bool = False

    def is_revoked(self) -> bool:
        """Tell whether it has ended."""
        return self.revoked


@dataclass(eq=False)
class Worker:
    """A thread or task, with the scope that it must find to be the current one."""

    actor: ThreadActor | TaskActor
    current: Scope | None = None


@dataclass(eq=False)
class Scope:
    """The plain account of one scope that the real one is held against."""

    manager: AbstractContextManager[SandboxControl]
    handle: SandboxControl
    worker: Worker
    outer: Scope | None
    parent: Scope | None
    call: Call
    cleanup: bool
    timed: bool
    grant: Grant | None
    expired: bool = False
    failed: bool = False
    open: bool = True
    ancestry: list[Scope] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ancestry = [self, *(self.parent.ancestry if self.parent else [])]

    def expected(self) -> type[BaseException] | None:
        """Return what a check must raise."""
        if any(scope.failed for scope in self.ancestry):
            return ScopeEndedError
        revoked = any(scope.grant and scope.grant.revoked for scope in self.ancestry)
        if self.call.cancelled or revoked:
            return SandboxCancelledError
        return TimeoutError if any(scope.expired for scope in self.ancestry) else None

    def leave(self, *, failed: bool) -> None:
        """Account for the end of the scope: its worker is back in what is still open around it."""
        self.open = False
        self.failed = self.failed or failed or self.cleanup
        current = self.worker.current
        while current is not None and not current.open:
            current = current.outer
        self.worker.current = current


class Orders(RuleBasedStateMachine):
    """Workers open and leave scopes as they like; every scope is checked by all after each step."""

    scopes = Bundle("scopes")
    workers = Bundle("workers")

    def __init__(self) -> None:
        super().__init__()
        self.stage = Stage()
        self.every: list[Scope] = []
        self.crew: list[Worker] = []
        self.grant: Grant | None = None

    def teardown(self) -> None:
        """Leave what is still open, and end the workers."""
        try:
            for scope in reversed(self.every):
                if scope.open:
                    self.leave(scope)
            self.every_scope_answers_as_promised()
        finally:
            self.stage.close()

    def enrolled(self, worker: Worker) -> Worker:
        """Count a worker in."""
        self.crew.append(worker)
        return worker

    @initialize(target=workers)
    def begin(self) -> Worker:
        """There is a thread to begin with."""
        return self.enrolled(Worker(self.stage.thread()))

    @precondition(lambda self: len(self.crew) < CREW)
    @rule(target=workers, by=workers)
    def start_thread(self, by: Worker) -> Worker:
        """A thread that was handed a copied context is where its starter is."""
        return self.enrolled(Worker(self.stage.thread(by.actor), by.current))

    @precondition(lambda self: len(self.crew) < CREW)
    @rule(target=workers, by=workers)
    def start_task(self, by: Worker) -> Worker:
        """A task is where its starter is."""
        return self.enrolled(Worker(self.stage.task(by.actor), by.current))

    @precondition(lambda self: len(self.crew) < CREW)
    @rule(target=workers)
    def start_plain_thread(self) -> Worker:
        """A plain thread is in no scope."""
        return self.enrolled(Worker(self.stage.thread()))

    @rule(target=scopes, worker=workers)
    def open_cleanup(self, worker: Worker) -> Scope:
        """A cleanup may be opened anywhere."""
        return self.enter(worker, control.cleanup(1000), cleanup=True, timed=True)

    @rule(target=scopes, worker=workers, timed=st.booleans())
    def open_execution(self, worker: Worker, timed: bool) -> Scope:
        """An execution may be opened anywhere but in a cleanup; there a cleanup opens instead."""
        manager = control.execute(1000 if timed else None)
        if worker.current is None or not worker.current.cleanup:
            return self.enter(worker, manager, cleanup=False, timed=timed)
        with pytest.raises(SandboxCancelledError):
            worker.actor.do(manager.__enter__)
        return self.open_cleanup(worker)

    @rule(target=scopes, worker=workers)
    def open_two_under_different_authorities(self, worker: Worker) -> object:
        """A scope may be opened on another authority than the one around it."""
        self.grant = Grant()
        outer = self.open_execution(worker, timed=False)
        self.grant = None
        return multiple(outer, self.open_execution(worker, timed=True))

    def enter(
        self,
        worker: Worker,
        manager: AbstractContextManager[SandboxControl],
        *,
        cleanup: bool,
        timed: bool,
    ) -> Scope:
        """Open a scope in a worker and keep its account."""
        outer, grant = worker.current, None if cleanup else self.grant
        parent = None if outer is None or (cleanup and not outer.cleanup) else outer
        call = Call() if parent is None else parent.call
        handle = worker.actor.do(lambda: _entered(manager, grant))
        scope = Scope(manager, handle, worker, outer, parent, call, cleanup, timed, grant)
        self.every.append(scope)
        worker.current = scope
        return scope

    @rule(scope=consumes(scopes))
    def leave(self, scope: Scope) -> None:
        """Leaving normally ends a cleanup's handle, and tells if the cleanup was late."""
        late = scope.cleanup and any(s.expired for s in scope.ancestry)
        with pytest.raises(TimeoutError) if late else contextlib.nullcontext():
            scope.worker.actor.do(lambda: scope.manager.__exit__(None, None, None))
        scope.leave(failed=late)

    @rule(scope=consumes(scopes))
    def leave_by_an_end_elsewhere(self, scope: Scope) -> None:
        """What says that another scope is over ends this one, and cancels nothing."""
        self.leave_by(scope, ScopeEndedError)

    @rule(scope=consumes(scopes), kind=st.sampled_from([*LOCAL, *CALL_WIDE]))
    def leave_by(self, scope: Scope, kind: type[BaseException]) -> None:
        """Leaving by an exception fails the scope, and some kinds cancel the call."""
        error = kind("on purpose")
        eaten = scope.worker.actor.do(lambda: scope.manager.__exit__(kind, error, None))
        assert not eaten
        scope.leave(failed=True)
        scope.call.cancelled = scope.call.cancelled or kind in CALL_WIDE

    @rule(scope=scopes)
    def expire(self, scope: Scope) -> None:
        """A deadline passes."""
        scope.handle.constrain(0)
        scope.expired = True

    @rule(scope=scopes)
    def loosen(self, scope: Scope) -> None:
        """A constraint that would loosen changes nothing but an endless scope."""
        scope.handle.constrain(5000)
        scope.timed = True

    @rule(scope=scopes)
    def cancel(self, scope: Scope) -> None:
        """The caller goes away."""
        scope.handle.cancelled.set()
        scope.call.cancelled = True

    @rule()
    def grant_authority(self) -> None:
        """Scopes opened from now on act on a new authority."""
        self.grant = Grant()

    @rule(scope=scopes)
    def revoke_authority(self, scope: Scope) -> None:
        """An authority ends, for everything opened under it."""
        if scope.grant is not None:
            scope.grant.revoked = True

    @invariant()
    def every_scope_answers_as_promised(self) -> None:
        """Checks by every worker, remaining times and current scopes agree with the account."""
        for worker in self.crew:
            found = worker.actor.do(
                lambda: ([_checked(s.handle) for s in self.every], control.current())
            )
            errors, current = found
            assert errors == [scope.expected() for scope in self.every]
            assert current is (None if worker.current is None else worker.current.handle)
        for scope in self.every:
            time_agrees(scope)


def time_agrees(scope: Scope) -> None:
    """Remaining time is none, zero or the seconds of the earliest deadline."""
    remaining = scope.handle.remaining()
    if any(s.expired for s in scope.ancestry) or (scope.cleanup and not scope.open):
        assert remaining == 0
    elif any(s.timed for s in scope.ancestry):
        assert remaining is not None
        assert 800 < remaining <= 5000
    else:
        assert remaining is None


def _entered(
    manager: AbstractContextManager[SandboxControl], grant: Grant | None
) -> SandboxControl:
    if grant is None:
        return manager.__enter__()
    authority = ExecutionAuthority(context=SandboxContext(), revoked=grant.is_revoked)
    with acting_as(authority):
        return manager.__enter__()


def _checked(handle: SandboxControl) -> type[BaseException] | None:
    try:
        handle.check()
    except (SandboxCancelledError, TimeoutError) as error:
        return type(error)
    return None


TestOrders = Orders.TestCase
TestOrders.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
