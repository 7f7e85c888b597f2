"""What never ends by itself is waited for no longer than its bound, and nothing is left behind."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harnest.sandbox import (
    SandboxCancelledError,
    SandboxExecutionError,
    SandboxRequest,
    SandboxResult,
    control,
)
from harnest.sandbox.admission import Admission
from harnest.sandbox.closing import Closing
from harnest.sandbox.errors import SandboxClosedError
from harnest.sandbox.runtime import ManagedSandbox
from harnest.sandbox.worker import awaited
from tests.fakes.provider import ScriptedProvider, declare, until_stopped
from tests.support.waiting import LONG, until


def test_a_gate_that_is_shut_cancels_what_stays_too_long() -> None:
    """After the first bound the executions inside are cancelled, and waited for once more."""
    gate, inside = Admission(), threading.Event()

    def work() -> SandboxResult:
        with gate.admitted(None):
            return until_stopped(inside)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        assert inside.wait(LONG)
        gate.shut(0.05)
        assert isinstance(future.exception(LONG), SandboxCancelledError)
    with pytest.raises(SandboxClosedError), gate.admitted(None):
        pytest.fail("the gate is shut")


def test_a_gate_that_nobody_leaves_is_left_alone() -> None:
    """Work that ignores its cancellation holds up a close for both bounds and no longer."""
    gate, inside, go = Admission(), threading.Event(), threading.Event()

    def work() -> None:
        with gate.admitted(None):
            inside.set()
            assert go.wait(LONG)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        assert inside.wait(LONG)
        begun = time.monotonic()
        gate.shut(0.05)
        assert time.monotonic() - begun >= 0.1
        assert not future.done()
        go.set()
        future.result(LONG)


def test_a_close_that_hangs_is_reported_and_never_started_twice() -> None:
    """The next close waits for the one under way, and takes its outcome."""

    class Slow(ScriptedProvider):
        def close(self) -> None:
            super().close()
            assert go.wait(LONG)

    go, provider, closing = threading.Event(), Slow(), Closing(patience=0.05)
    for _ in range(2):
        with pytest.raises(SandboxExecutionError, match=r"within 0\.05 seconds"):
            closing.close(provider)
    go.set()
    while True:
        try:
            closing.close(provider)
        except SandboxExecutionError:
            continue
        break
    assert provider.closed == 1


def test_a_cancelled_task_is_not_held_by_work_that_ignores_it() -> None:
    """It waits for its bound, then ends as cancelled while the thread runs on."""
    started, go = threading.Event(), threading.Event()

    def deaf() -> None:
        started.set()
        assert go.wait(LONG)

    async def turn() -> None:
        with control.execute(None) as scope:
            await awaited(deaf, scope, patience=0.05)

    async def main() -> None:
        task = asyncio.create_task(turn())
        assert await asyncio.to_thread(started.wait, LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, LONG)
        go.set()

    asyncio.run(main())


def test_many_executions_leave_no_thread() -> None:
    """Neither plain, streamed, asynchronous nor cancelled executions leave one behind."""
    before = threading.active_count()
    started = threading.Event()

    def script(request: SandboxRequest) -> SandboxResult:
        return until_stopped(started) if request.code == "wait" else SandboxResult("x")

    async def main() -> None:
        sandbox = ManagedSandbox(declare(ScriptedProvider(script)))
        request = sandbox.request("x")
        for _ in range(50):
            sandbox.execute(request)
            sandbox.execute_streaming(request, lambda *_: None)
        await asyncio.gather(*(sandbox.aexecute(request) for _ in range(50)))
        for _ in range(10):
            started.clear()
            task = asyncio.create_task(sandbox.aexecute(sandbox.request("wait")))
            assert await asyncio.to_thread(started.wait, LONG)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await sandbox.aclose()

    asyncio.run(main())
    until(lambda: threading.active_count() <= before)  # one that has answered is about to end
