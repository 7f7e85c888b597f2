"""Extensions that exit, interrupt, block and trap end themselves and nobody else."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from harnest_ext.distributions import EnvironmentView
from harnest_ext.errors import LoadError
from harnest_ext.runtime.activation import activate
from harnest_ext.runtime.background import BackgroundLoop, LoopBlockedError
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.planning import make_plan
from harnest_ext.store import Project
from tests.support.projects import extension, installed
from tests.support.recorder import EVENTS, WAITING
from tests.support.runtimes import open_runtime, raised_at, shown
from tests.support.waiting import LONG, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.packages import PackageSpec

SECRET = "hunter2-planted"
EXITS = (f"SystemExit('{SECRET}')", f"KeyboardInterrupt('{SECRET}')", f"BaseException('{SECRET}')")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    EVENTS.clear()
    WAITING.clear()
    yield
    EVENTS.clear()


def recording(name: str, *, stop: str = "", **fields: object) -> PackageSpec:
    """Return an extension that notes its stop, and then does something."""
    body = f"""    async def stop(self):
        import asyncio
        from tests.support.recorder import EVENTS, WAITING
        EVENTS.append("stop {name}")
        {stop or "pass"}
        EVENTS.append("end {name}")
"""
    return extension(name, body, **fields)


@pytest.mark.parametrize("raised", EXITS)
def test_a_stop_that_exits_is_a_failed_stop(tmp_path: Path, raised: str) -> None:
    """The others stop, closing returns, and the error tells the type alone."""
    project = installed(
        tmp_path, [recording("alpha"), recording("beta", stop=f"raise {raised}"), recording("zeta")]
    )
    runtime = open_runtime(project)
    runtime.start()
    with pytest.raises(LoadError, match="'beta' did not stop") as caught:
        runtime.close()
    assert [event for event in EVENTS if event.startswith("stop")] == [
        "stop zeta",
        "stop beta",
        "stop alpha",
    ]
    assert SECRET not in shown(caught.value)


@pytest.mark.parametrize("raised", [EXITS[0], EXITS[2]])
@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("async def start(self, context):", "could not be started"),
        ("def create_context(self, base):", "could not open its context"),
    ],
)
def test_an_exit_of_an_extension_is_its_failure(
    tmp_path: Path, raised: str, header: str, expected: str
) -> None:
    """At start and for an invocation: no process ends by it, and its text is not shown."""
    body = f"    {header}\n        raise {raised}\n"
    project = installed(tmp_path, [recording("alpha"), extension("beta", body)])
    with (
        pytest.raises(LoadError, match=expected) as caught,
        open_runtime(project) as runtime,
        runtime.invocation(agent_name="assistant"),
    ):
        pass
    assert EVENTS == ["stop alpha", "end alpha"]
    assert SECRET not in shown(caught.value)
    assert raised_at(caught.value.problems[0]) == f"beta: raise {raised}"


def test_an_interrupt_in_start_reaches_the_caller(tmp_path: Path) -> None:
    """It ends neither the loop that has to stop the others nor the wait for it."""
    body = "    async def start(self, context):\n        raise KeyboardInterrupt\n"
    project = installed(tmp_path, [recording("alpha"), extension("beta", body)])
    with pytest.raises(KeyboardInterrupt):
        open_runtime(project).start()
    assert EVENTS == ["stop alpha", "end alpha"]


def test_an_exit_in_a_background_task_ends_that_task_alone(tmp_path: Path) -> None:
    """The extensions' loop serves on, so that they can still be stopped."""
    body = """    async def start(self, context):
        import asyncio
        from tests.support.recorder import EVENTS
        async def work():
            EVENTS.append("work")
            raise SystemExit(3)
        self.task = asyncio.create_task(work())
"""
    project = installed(tmp_path, [extension("alpha", body), recording("beta")])
    with open_runtime(project):
        until(lambda: "work" in EVENTS)
    assert EVENTS[-1] == "end beta"


def test_every_extension_is_stopped_although_closing_is_cancelled(tmp_path: Path) -> None:
    """However often, and the cancellation comes through when they have stopped."""
    slow = recording("zeta", stop="await asyncio.to_thread(WAITING.wait)")
    project = installed(tmp_path, [recording("alpha"), slow])

    async def main() -> None:
        runtime = open_runtime(project)
        await runtime.astart()
        closing = asyncio.create_task(runtime.aclose())
        await asyncio.to_thread(until, lambda: "stop zeta" in EVENTS)
        for _ in range(3):
            closing.cancel()
            await asyncio.sleep(0)
        WAITING.set()
        await asyncio.wait([closing])
        assert closing.cancelled()

    asyncio.run(main())
    assert EVENTS == ["stop zeta", "end zeta", "stop alpha", "end alpha"]


def test_an_object_that_traps_is_no_extension(tmp_path: Path) -> None:
    """A proxy that raises when it is asked for its class may stand in a module."""
    trap = f"""
class Proxy:
    @property
    def __class__(self):
        raise RuntimeError("{SECRET}")


current = Proxy()
"""
    spec = extension("alpha")
    spec.files["extension.py"] += trap  # type: ignore[index,operator]
    with open_runtime(installed(tmp_path, [spec])) as runtime:
        assert "alpha" in runtime.running.active.loaded


def test_a_blocked_loop_is_left() -> None:
    """Code that keeps the thread can't be cancelled: whoever waits for the loop goes on."""
    loop = BackgroundLoop()
    entered, release = threading.Event(), threading.Event()

    async def block() -> None:
        entered.set()
        release.wait(LONG)

    with pytest.raises(LoopBlockedError):
        loop.run(block(), patience=0.05)
    assert entered.wait(LONG)
    assert not loop.close(seconds=0)
    release.set()
    assert loop.close(seconds=LONG)


def test_a_loop_that_is_about_to_end_may_be_closed_again() -> None:
    """What is ended meanwhile is not broken off, and a loop that has ended stays ended."""
    loop = BackgroundLoop()
    ending, go, ended = threading.Event(), threading.Event(), threading.Event()
    tasks: list[asyncio.Task[None]] = []

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ending.set()
            await asyncio.to_thread(go.wait, LONG)
            ended.set()

    async def begin() -> None:
        tasks.append(asyncio.create_task(slow()))
        await asyncio.sleep(0)

    loop.run(begin())
    assert not loop.close(seconds=0)
    assert ending.wait(LONG)
    assert not loop.close(seconds=0)
    go.set()
    assert loop.close(seconds=LONG)
    assert ended.is_set()
    assert loop.close(seconds=LONG)


def test_slow_work_is_no_blocked_loop() -> None:
    """As long as the loop serves, its work is waited for."""
    loop = BackgroundLoop()

    async def work() -> str:
        for _ in range(50):
            await asyncio.sleep(0.01)
        return "done"

    try:
        assert loop.run(work(), patience=LONG / 4) == "done"
        assert loop.run(asyncio.sleep(0.2, "slept"), patience=LONG / 4) == "slept"
    finally:
        assert loop.close(seconds=LONG)


def test_what_is_released_twice_is_given_back_once(tmp_path: Path) -> None:
    """A loop that was left may come back and finish what was done without it."""
    project = installed(tmp_path, [recording("alpha")])
    held = activate(make_plan(discover(Project.at(project), EnvironmentView())))
    with open_runtime(project) as runtime:
        running = runtime.running
    running.release(runtime)
    assert "harnest.extensions.alpha" in sys.modules
    held.release()
    assert "harnest.extensions.alpha" not in sys.modules
