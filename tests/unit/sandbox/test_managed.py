"""Managed execution: bounds of the declaration, parallel calls, time-outs as results, closing."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from harnest.sandbox import (
    Sandbox,
    SandboxCancelledError,
    SandboxContext,
    SandboxExecutionError,
    SandboxFile,
    SandboxNetworkPolicy,
    SandboxProviderCapabilities,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
    control,
    limits,
)
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from harnest.sandbox.errors import SandboxClosedError
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare, until_stopped
from tests.support.waiting import LONG, until

POLICY = SandboxNetworkPolicy.none()


def managed(script: Any, **options: Any) -> ManagedSandbox:
    """Return a managed sandbox around a scripted provider."""
    return ManagedSandbox(declare(ScriptedProvider(script), **options))


def test_a_request_has_the_bounds_of_the_declaration() -> None:
    """Deadline, metadata and policy are declared; the caller gives code and files."""
    provider = ScriptedProvider()
    provider.sandbox_capabilities = SandboxProviderCapabilities(frozenset({POLICY.mode}))  # type: ignore[attr-defined]
    sandbox = ManagedSandbox(
        declare(provider, timeout_seconds=9, metadata={"a": 1}, network_policy=POLICY)
    )
    files = [SandboxFile("a", b"")]
    sandbox.execute(sandbox.request("print(1)", input_files=files, execution_id="e"))
    assert provider.requests == [
        SandboxRequest("print(1)", 9, SandboxContext(), tuple(files), "e", {"a": 1}, POLICY)
    ]


@pytest.mark.parametrize(
    ("declared", "asked", "effective"), [(9, 3, 3), (9, 30, 9), (None, 3, 3), (9, None, 9)]
)
def test_a_caller_can_only_shorten_the_deadline(
    declared: int | None, asked: int | None, effective: int
) -> None:
    """The earlier of both counts."""
    sandbox = managed(lambda _: SandboxResult(), timeout_seconds=declared)
    assert sandbox.request("x", timeout_seconds=asked).timeout_seconds == effective


def test_an_invocations_identity_can_not_be_replaced() -> None:
    """Inside an invocation its identity counts; a given one only outside."""
    sandbox = managed(lambda _: SandboxResult())
    mine, other = SandboxContext("mine"), SandboxContext("other")
    assert sandbox.request("x").context == SandboxContext()
    assert sandbox.request("x", context=other).context is other
    with acting_as(ExecutionAuthority(context=mine, revoked=lambda: False)):
        assert sandbox.request("x", context=other).context is mine


def test_the_provider_is_built_once_at_first_use() -> None:
    """Many threads at once get one provider; nothing is built before."""
    built: list[ScriptedProvider] = []
    barrier = threading.Barrier(8)

    def factory() -> ScriptedProvider:
        built.append(ScriptedProvider(lambda _: SandboxResult()))
        return built[-1]

    def work(_: int) -> SandboxResult:
        barrier.wait(LONG)
        return sandbox.execute(sandbox.request("x"))

    sandbox = ManagedSandbox(Sandbox.provider(factory))
    assert built == []
    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(work, range(8)))) == 8
    assert len(built) == 1
    assert len(built[0].requests) == 8


def test_a_factory_that_failed_is_asked_again() -> None:
    """One failure to build does not poison the sandbox."""
    attempts = iter([OSError("daemon"), None])

    def factory() -> ScriptedProvider:
        error = next(attempts)
        if error is not None:
            raise error
        return ScriptedProvider()

    sandbox = ManagedSandbox(Sandbox.provider(factory))
    with pytest.raises(SandboxExecutionError, match="OSError"):
        sandbox.execute(sandbox.request("x"))
    assert sandbox.execute(sandbox.request("x")) == SandboxResult()


def test_executions_run_in_parallel() -> None:
    """Two executions meet inside the provider: none waits for the other."""
    meeting = threading.Barrier(2)

    def script(_: SandboxRequest) -> SandboxResult:
        meeting.wait(LONG)
        return SandboxResult()

    sandbox = managed(script)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(sandbox.execute, [sandbox.request("x")] * 2))
    assert results == [SandboxResult()] * 2


class StartTimeoutError(TimeoutError):
    """A provider's own time-out that knows its phase."""

    phase = "image pull"


def raising(error: BaseException) -> Any:
    """Return a script that raises."""

    def script(_: SandboxRequest) -> SandboxResult:
        raise error

    return script


def waiting_for(lock: threading.Lock) -> Any:
    """Return a script that queues for a lock of the provider's."""

    def script(_: SandboxRequest) -> SandboxResult:
        scope = control.current()
        assert scope is not None
        scope.constrain(0.05)
        with scope.acquire(lock):
            return SandboxResult()

    return script


HELD = threading.Lock()
HELD.acquire()


@pytest.mark.parametrize(
    ("script", "phase"),
    [
        (raising(TimeoutError("secret")), "execution"),
        (raising(StartTimeoutError("secret")), "image pull"),
        (waiting_for(HELD), "queue"),
        (lambda _: SandboxResult(status="timed_out"), "execution"),
        (lambda _: SandboxResult(status="timed_out", metadata={"phase": "readiness"}), "readiness"),
    ],
)
def test_every_time_out_has_one_shape(script: Any, phase: str) -> None:
    """Returned or raised, queued, starting or running: a timed-out result with its phase."""
    sandbox = managed(script)
    result = sandbox.execute(sandbox.request("x"))
    assert result.status is SandboxStatus.TIMED_OUT
    assert result.exit_code is None
    assert dict(result.metadata) == {"phase": phase}


def test_what_a_timed_out_program_wrote_is_kept() -> None:
    """Adding the phase keeps partial output, files and the provider's own facts."""
    file = SandboxFile("a", b"x")
    partial = SandboxResult("out", "err", (file,), {"reason": "deadline"}, SandboxStatus.TIMED_OUT)
    sandbox = managed(lambda _: partial)
    result = sandbox.execute(sandbox.request("x"))
    assert (result.stdout, result.stderr, result.output_files) == ("out", "err", (file,))
    assert dict(result.metadata) == {"reason": "deadline", "phase": "execution"}


def test_a_deadline_that_passes_while_the_provider_is_built_is_the_start_phase() -> None:
    """A provider that is slow to build is a time-out like any other."""

    def factory() -> ScriptedProvider:
        raise TimeoutError

    sandbox = ManagedSandbox(Sandbox.provider(factory))
    assert dict(sandbox.execute(sandbox.request("x")).metadata) == {"phase": "start"}


def test_the_declared_deadline_is_enforced_on_the_scope() -> None:
    """A provider that watches its control scope is stopped at the deadline."""
    sandbox = managed(lambda _: until_stopped(), timeout_seconds=1)
    begun = time.monotonic()
    assert sandbox.execute(sandbox.request("x")).status is SandboxStatus.TIMED_OUT
    assert time.monotonic() - begun >= 1


def test_other_results_pass_unchanged() -> None:
    """A failing, overflowing or cancelled program is the provider's result itself."""
    for status in ("succeeded", "failed", "output_limit_exceeded", "cancelled"):
        own = SandboxResult("o", metadata={"k": 1}, status=status)  # type: ignore[arg-type]
        sandbox = managed(lambda _, own=own: own)
        assert sandbox.execute(sandbox.request("x")) is own


@pytest.mark.parametrize("wrong", [None, "text", {"stdout": ""}])
def test_a_provider_that_returns_something_else_has_failed(wrong: Any) -> None:
    """Whatever is no SandboxResult is an execution error."""
    sandbox = managed(lambda _: wrong)
    with pytest.raises(SandboxExecutionError, match="TypeError"):
        sandbox.execute(sandbox.request("x"))


def test_a_revoked_invocation_runs_nothing_and_returns_nothing() -> None:
    """Before the start the provider isn't called; afterwards its result is withheld."""
    ended = threading.Event()
    provider = ScriptedProvider(lambda _: (ended.set(), SandboxResult("secret"))[1])
    sandbox = ManagedSandbox(declare(provider))
    with acting_as(ExecutionAuthority(context=SandboxContext(), revoked=ended.is_set)):
        for _ in range(2):
            with pytest.raises(SandboxCancelledError):
                sandbox.execute(sandbox.request("x"))
    assert len(provider.requests) == 1


def test_a_revoked_invocation_stops_a_running_provider() -> None:
    """Revocation reaches the control scope of an execution under way."""
    ended, started = threading.Event(), threading.Event()
    sandbox = managed(lambda _: until_stopped(started))
    with acting_as(ExecutionAuthority(context=SandboxContext(), revoked=ended.is_set)):
        request = sandbox.request("x")

    def work() -> None:
        with acting_as(ExecutionAuthority(context=SandboxContext(), revoked=ended.is_set)):
            sandbox.execute(request)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        assert started.wait(LONG)
        ended.set()
        assert isinstance(future.exception(LONG), SandboxCancelledError)


def test_closing_refuses_new_work_and_waits_for_running_work() -> None:
    """The provider is closed once, after its last execution."""
    started, go = threading.Event(), threading.Event()
    order: list[str] = []

    def script(_: SandboxRequest) -> SandboxResult:
        started.set()
        assert go.wait(LONG)
        order.append("executed")
        return SandboxResult("done")

    provider = ScriptedProvider(script)
    provider.close = lambda: order.append("closed")  # type: ignore[method-assign]
    sandbox = ManagedSandbox(declare(provider))
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(sandbox.execute, sandbox.request("x"))
        assert started.wait(LONG)
        closing = pool.submit(sandbox.close)
        until(lambda: sandbox._admission._shut)
        with pytest.raises(SandboxClosedError):
            sandbox.execute(sandbox.request("x"))
        assert not closing.done()
        go.set()
        assert running.result(LONG).stdout == "done"
        closing.result(LONG)
    sandbox.close()
    assert order == ["executed", "closed"]


def test_a_failed_close_can_be_repeated() -> None:
    """The provider is kept until its close succeeds; its error stays hidden."""
    outcomes = iter([OSError("secret"), None])

    class Stubborn(ScriptedProvider):
        def close(self) -> None:
            super().close()
            error = next(outcomes)
            if error is not None:
                raise error

    provider = Stubborn()
    sandbox = ManagedSandbox(declare(provider))
    sandbox.execute(sandbox.request("x"))
    with pytest.raises(SandboxExecutionError, match="OSError") as caught:
        sandbox.close()
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
    sandbox.close()
    sandbox.close()
    assert provider.closed == 2


def test_closing_happens_in_a_cleanup_scope() -> None:
    """A provider's close has a deadline of its own, even when the caller's is over."""
    seen: list[float] = []

    class Watching(ScriptedProvider):
        def close(self) -> None:
            scope = control.current()
            assert scope is not None
            assert scope.cleanup
            assert scope.deadline is not None
            seen.append(scope.deadline)

    sandbox = ManagedSandbox(declare(Watching()))
    sandbox.execute(sandbox.request("x"))
    with control.execute(1) as scope:
        scope.constrain(0)
        begun = time.monotonic()
        sandbox.close()
        late = time.monotonic()
    assert begun <= seen[0] - limits.CLOSE_WAIT_SECONDS <= late


def test_closing_what_was_never_used_builds_nothing() -> None:
    """A declared sandbox that nobody used costs nothing at the end either."""
    sandbox = ManagedSandbox(Sandbox.provider(lambda: pytest.fail("built")))
    sandbox.close()
    with pytest.raises(SandboxClosedError, match="closed"):
        sandbox.execute(sandbox.request("x"))


def test_an_execution_inside_a_cleanup_is_refused() -> None:
    """Cleanup releases resources and never runs a program."""
    provider = ScriptedProvider()
    sandbox = ManagedSandbox(declare(provider))
    with control.cleanup(), pytest.raises(SandboxCancelledError):
        sandbox.execute(sandbox.request("x"))
    assert provider.requests == []


def test_a_deadline_that_passes_while_the_provider_is_built_is_a_late_start() -> None:
    """Nothing is executed any more, and the result says where the time went."""
    provider = ScriptedProvider()

    def build() -> ScriptedProvider:
        scope = control.current()
        assert scope is not None
        scope.constrain(0)
        return provider

    sandbox = ManagedSandbox(Sandbox.provider(build))
    result = sandbox.execute(sandbox.request("pass"))
    assert (result.status, result.metadata["phase"]) == (SandboxStatus.TIMED_OUT, "start")
    assert provider.requests == []
    sandbox.close()
    assert provider.closed == 1
