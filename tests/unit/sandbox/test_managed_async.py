"""The asynchronous path: no blocked loop, cancelling reaches the provider, closing in the loop."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from harnest.sandbox import SandboxExecutionError, SandboxRequest, SandboxResult, SandboxStatus
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from harnest.sandbox.context import SandboxContext
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare, until_stopped
from tests.support.waiting import LONG, before_a_deadline

if TYPE_CHECKING:
    from collections.abc import Coroutine


class AsyncProvider(ScriptedProvider):
    """A provider that lives in an event loop."""

    def __init__(self) -> None:
        super().__init__(lambda _: pytest.fail("the thread path was taken"))
        self.started = asyncio.Event()
        self.loops: list[asyncio.AbstractEventLoop] = []
        self.ended: list[str] = []

    async def aexecute(self, request: SandboxRequest) -> SandboxResult:
        """Return at once, or wait to be cancelled."""
        self.loops.append(asyncio.get_running_loop())
        self.started.set()
        if request.code == "wait":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.ended.append("cancelled")
                raise
        return SandboxResult("async")

    async def aclose(self) -> None:
        """Note the loop."""
        self.loops.append(asyncio.get_running_loop())
        self.ended.append("closed")


async def cancelled(coroutine: Coroutine[object, object, object], started: threading.Event) -> None:
    """Cancel a task once its work has started, and see it end as cancelled."""
    task = asyncio.create_task(coroutine)
    assert await asyncio.to_thread(started.wait, LONG)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert caught.value.__context__ is None


def test_a_blocking_provider_does_not_block_the_loop() -> None:
    """More executions than the default pool has threads run at the same time."""
    count = 24
    meeting = threading.Barrier(count)

    def script(_: SandboxRequest) -> SandboxResult:
        meeting.wait(LONG)
        return SandboxResult("sync")

    async def main() -> None:
        sandbox = ManagedSandbox(declare(ScriptedProvider(script)))
        request = sandbox.request("x")
        results = await asyncio.gather(*(sandbox.aexecute(request) for _ in range(count)))
        assert {result.stdout for result in results} == {"sync"}

    asyncio.run(main())


def test_cancelling_the_task_cancels_the_execution() -> None:
    """The task ends after the provider has noticed and released what it held."""
    started, released = threading.Event(), threading.Event()

    def script(_: SandboxRequest) -> SandboxResult:
        try:
            return until_stopped(started)
        finally:
            released.set()

    async def main() -> None:
        sandbox = ManagedSandbox(declare(ScriptedProvider(script)))
        await cancelled(sandbox.aexecute(sandbox.request("x")), started)
        assert released.is_set()
        await sandbox.aclose()

    asyncio.run(main())


def test_other_tasks_go_on_when_one_is_cancelled() -> None:
    """Independent calls share the provider and nothing else."""
    started, go = threading.Event(), threading.Event()

    def script(request: SandboxRequest) -> SandboxResult:
        if request.code == "stop":
            return until_stopped(started)
        assert go.wait(LONG)
        return SandboxResult("whole")

    async def main() -> None:
        sandbox = ManagedSandbox(declare(ScriptedProvider(script)))
        other = asyncio.create_task(sandbox.aexecute(sandbox.request("go")))
        await cancelled(sandbox.aexecute(sandbox.request("stop")), started)
        go.set()
        assert (await other).stdout == "whole"

    asyncio.run(main())


def test_an_asynchronous_provider_runs_in_the_loop() -> None:
    """It is awaited there, cancelled there and closed there; no thread executes."""

    async def main() -> None:
        provider = AsyncProvider()
        sandbox = ManagedSandbox(declare(provider))
        assert (await sandbox.aexecute(sandbox.request("x"))).stdout == "async"
        provider.started.clear()
        task = asyncio.create_task(sandbox.aexecute(sandbox.request("wait")))
        await provider.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await sandbox.aclose()
        await sandbox.aclose()
        assert provider.ended == ["cancelled", "closed"]
        assert set(provider.loops) == {asyncio.get_running_loop()}

    asyncio.run(main())


def test_an_asynchronous_close_is_run_for_synchronous_callers_too() -> None:
    """A provider with aclose alone is closed by close as well."""

    class OnlyAsync:
        closed = 0

        def execute(self, _: SandboxRequest) -> SandboxResult:
            return SandboxResult()

        async def aclose(self) -> None:
            self.closed += 1

    provider = OnlyAsync()
    sandbox = ManagedSandbox(declare(provider))
    sandbox.execute(sandbox.request("x"))
    sandbox.close()
    assert provider.closed == 1


def test_a_failing_asynchronous_close_is_hidden_and_repeatable() -> None:
    """Its error shows the type alone, and the next close is tried."""
    outcomes = iter([OSError("secret"), None])

    class Failing(AsyncProvider):
        async def aclose(self) -> None:
            error = next(outcomes)
            if error is not None:
                raise error

    async def main() -> None:
        sandbox = ManagedSandbox(declare(Failing()))
        await sandbox.aexecute(sandbox.request("x"))
        with pytest.raises(SandboxExecutionError, match="OSError") as caught:
            await sandbox.aclose()
        assert "secret" not in str(caught.value)
        assert caught.value.__context__ is None
        await sandbox.aclose()

    asyncio.run(main())


def test_time_outs_and_identity_are_the_same_as_without_a_loop() -> None:
    """A deadline is a result, and the invocation's identity travels into the thread."""
    started = threading.Event()
    provider = ScriptedProvider(lambda _: until_stopped(started))
    mine = SandboxContext("mine")

    async def call(seconds: int) -> SandboxResult:
        sandbox = ManagedSandbox(declare(provider, timeout_seconds=seconds))
        with acting_as(ExecutionAuthority(context=mine, revoked=lambda: False)):
            return await sandbox.aexecute(sandbox.request("x"))

    result = before_a_deadline(lambda n: asyncio.run(call(n)), reached=started.is_set)
    assert result.status is SandboxStatus.TIMED_OUT
    assert dict(result.metadata) == {"phase": "execution"}
    assert provider.requests[-1].context is mine


def test_an_abandoned_failure_is_not_logged_by_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    """A provider that fails after its task was cancelled leaves nothing in the loop's log."""
    started = threading.Event()

    def script(_: SandboxRequest) -> SandboxResult:
        try:
            return until_stopped(started)
        finally:
            raise RuntimeError("secret")

    async def main() -> None:
        sandbox = ManagedSandbox(declare(ScriptedProvider(script)))
        await cancelled(sandbox.aexecute(sandbox.request("x")), started)

    asyncio.run(main(), debug=True)
    assert "secret" not in caplog.text
