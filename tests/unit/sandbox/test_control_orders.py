"""Control scopes opened, left, cancelled, revoked and expired in any order keep their promises."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
)

from harnest.sandbox import SandboxCancelledError, SandboxContext, control
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from harnest.sandbox.scope import ScopeEndedError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from harnest.sandbox.scope import SandboxControl

LOCAL = (ValueError, TimeoutError, ScopeEndedError)
CALL_WIDE = (KeyboardInterrupt, asyncio.CancelledError, SandboxCancelledError)


@dataclass(eq=False)
class Call:
    """What the scopes of one call share."""

    cancelled: bool = False


@dataclass(eq=False)
class Grant:
    """An invocation's authority."""

    revoked: bool = False


@dataclass(eq=False)
class Scope:
    """The plain account of one scope that the real one is held against."""

    manager: AbstractContextManager[SandboxControl]
    handle: SandboxControl
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


class Orders(RuleBasedStateMachine):
    """One thread opens and leaves scopes as it likes; another checks them all after each step."""

    scopes = Bundle("scopes")

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[Scope] = []
        self.grant: Grant | None = None
        self.watcher = ThreadPoolExecutor(1)

    def teardown(self) -> None:
        """Leave what is still open, innermost first."""
        for scope in reversed(self.opened):
            if scope.open:
                scope.call.cancelled = True
                with contextlib.suppress(TimeoutError):
                    scope.manager.__exit__(None, None, None)
        assert control.current() is None
        self.watcher.shutdown()

    def current(self) -> Scope | None:
        """Return the scope opened last among those still open."""
        return next((scope for scope in reversed(self.opened) if scope.open), None)

    def enter(
        self, manager: AbstractContextManager[SandboxControl], *, cleanup: bool, timed: bool
    ) -> Scope:
        """Open a scope and keep its account."""
        outer = self.current()
        apart = outer is None or (cleanup and not outer.cleanup)
        parent = None if apart else outer
        call = Call() if parent is None else parent.call
        if self.grant is not None and not cleanup:
            authority = ExecutionAuthority(
                context=SandboxContext(),
                revoked=lambda grant=self.grant: grant.revoked,  # type: ignore[misc]
            )
            with acting_as(authority):
                handle = manager.__enter__()
        else:
            handle = manager.__enter__()
        grant = None if cleanup else self.grant
        scope = Scope(manager, handle, parent, call, cleanup, timed, grant)
        self.opened.append(scope)
        return scope

    @rule(target=scopes, timed=st.booleans())
    def open_cleanup(self, timed: bool) -> Scope:
        """A cleanup may be opened anywhere."""
        return self.enter(control.cleanup(1000 if timed else 900), cleanup=True, timed=True)

    @rule(target=scopes, timed=st.booleans())
    def open_execution(self, timed: bool) -> Scope:
        """An execution may be opened anywhere but in a cleanup; there a cleanup opens instead."""
        outer = self.current()
        manager = control.execute(1000 if timed else None)
        if outer is None or not outer.cleanup:
            return self.enter(manager, cleanup=False, timed=timed)
        with pytest.raises(SandboxCancelledError):
            manager.__enter__()
        return self.open_cleanup(timed=timed)

    @rule(scope=consumes(scopes))
    def leave(self, scope: Scope) -> None:
        """Leaving normally ends a cleanup's handle, and tells if the cleanup was late."""
        late = scope.cleanup and any(s.expired for s in scope.ancestry)
        with pytest.raises(TimeoutError) if late else contextlib.nullcontext():
            scope.manager.__exit__(None, None, None)
        scope.open = False
        scope.failed = scope.failed or scope.cleanup

    @rule(scope=consumes(scopes), kind=st.sampled_from([*LOCAL, *CALL_WIDE]))
    def leave_by(self, scope: Scope, kind: type[BaseException]) -> None:
        """Leaving by an exception fails the scope, and some kinds cancel the call."""
        error = kind("on purpose")
        try:
            eaten = scope.manager.__exit__(kind, error, None)
        except kind as raised:
            assert raised is error  # noqa: PT017 - identity is the point
        else:
            assert not eaten
        scope.open = False
        scope.failed = True
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

    @rule()
    def revoke_authority(self) -> None:
        """The authority ends, for everything opened under it."""
        if self.grant is not None:
            self.grant.revoked = True

    @invariant()
    def every_scope_answers_as_promised(self) -> None:
        """Checks in another thread, remaining time and current scope agree with the account."""
        for scope in self.opened:
            error = self.watcher.submit(scope.handle.check).exception()
            wanted = scope.expected()
            assert (None if error is None else type(error)) is wanted, (error, wanted)
            self.time_agrees(scope)
        current = self.current()
        assert control.current() is (None if current is None else current.handle)

    def time_agrees(self, scope: Scope) -> None:
        """Remaining time is none, zero or the seconds of the earliest deadline."""
        remaining = scope.handle.remaining()
        if any(s.expired for s in scope.ancestry) or (scope.cleanup and not scope.open):
            assert remaining == 0
        elif any(s.timed for s in scope.ancestry):
            assert remaining is not None
            assert 800 < remaining <= 5000
        else:
            assert remaining is None


TestOrders = Orders.TestCase
TestOrders.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
