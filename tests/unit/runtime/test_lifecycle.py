"""Start and stop of extensions."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest import context
from harnest.context import ContextResourceError
from harnest.extensions import ExtensionStartContext
from harnest_ext.distributions import EnvironmentView
from harnest_ext.errors import LoadError
from harnest_ext.runtime.activation import activate
from harnest_ext.runtime.authority import Authorities, StartAuthority
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.lifecycle import LifeCycle
from harnest_ext.runtime.planning import make_plan
from harnest_ext.store import Project
from tests.support.projects import extension, installed
from tests.support.recorder import EVENTS, WAITING
from tests.support.runtimes import open_runtime, raised_at, shown
from tests.support.waiting import LONG, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnest_ext.problem import Problem
    from harnest_ext.runtime.loading import LoadedExtension
    from tests.support.packages import PackageSpec

PLAIN = "from harnest.sandbox import Sandbox\nplain = Sandbox.provider(object)\n"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    EVENTS.clear()
    yield
    EVENTS.clear()


def recording(name: str, *, start: str = "", stop: str = "", **fields: object) -> PackageSpec:
    """Return an extension that notes its start and stop, and then does something."""
    body = f"""    async def start(self, context):
        from tests.support.recorder import EVENTS
        EVENTS.append("start {name}")
        {start or "pass"}

    async def stop(self):
        import asyncio
        from tests.support.recorder import EVENTS
        EVENTS.append("stop {name}")
        {stop or "pass"}
"""
    return extension(name, body, **fields)


def test_extensions_start_in_order_and_stop_in_reverse(tmp_path: Path) -> None:
    """What is required starts first and stops last; starting and closing again does nothing."""
    project = installed(
        tmp_path,
        [recording("alpha", requires=("charlie",)), recording("bravo"), recording("charlie")],
    )
    runtime = open_runtime(project)
    runtime.start()
    runtime.start()
    assert EVENTS == ["start bravo", "start charlie", "start alpha"]
    runtime.close()
    runtime.close()
    assert EVENTS[3:] == ["stop alpha", "stop charlie", "stop bravo"]


def test_a_runtime_is_not_started_twice(tmp_path: Path) -> None:
    """After its close it refuses a start, and an invocation."""
    runtime = open_runtime(installed(tmp_path))
    with runtime:
        pass
    for use in (runtime.start, lambda: runtime.invocation(agent_name="assistant")):
        with pytest.raises(LoadError) as caught:
            use()
        assert caught.value.rule == "runtime.state"


def test_a_runtime_is_closed_from_either_side(tmp_path: Path) -> None:
    """``aclose`` closes what ``start`` started; ``close`` refuses what only ``aclose`` can stop."""
    project = installed(tmp_path, [recording("alpha")])

    async def main() -> None:
        first = open_runtime(project)
        await asyncio.to_thread(first.start)
        await first.aclose()
        second = open_runtime(project)
        await second.astart()
        with pytest.raises(LoadError, match=r"aclose\(\)"):
            second.close()
        await second.aclose()

    asyncio.run(main())
    assert EVENTS == ["start alpha", "stop alpha"] * 2


def test_the_asynchronous_form_runs_in_the_callers_loop(tmp_path: Path) -> None:
    """``async with`` starts and stops extensions in the running loop."""
    note = "EVENTS.append(__import__('threading').current_thread().name)"
    project = installed(tmp_path, [recording("alpha", start=note, stop=note)])

    async def main() -> None:
        async with open_runtime(project) as runtime:
            await runtime.astart()

    asyncio.run(main())
    here = threading.current_thread().name
    assert ["start alpha", here, "stop alpha", here] == EVENTS


def test_a_failing_start_stops_all_that_were_attempted(tmp_path: Path) -> None:
    """The first error wins, later ones are told by type; the failing one is stopped too."""
    project = installed(
        tmp_path,
        [
            recording("alpha", stop="raise KeyError('hunter2')"),
            recording("bravo", start="raise ValueError('hunter2')"),
            recording("charlie"),
        ],
    )
    with pytest.raises(LoadError) as caught:
        open_runtime(project).start()
    assert EVENTS == ["start alpha", "start bravo", "stop bravo", "stop alpha"]
    assert [(p.rule, raised_at(p), p.got) for p in caught.value.problems] == [
        ("runtime.start", "bravo: raise ValueError('hunter2')", "ValueError"),
        ("runtime.stop", "alpha: raise KeyError('hunter2')", "KeyError"),
    ]
    assert "hunter2" not in shown(caught.value)


def test_a_cancelled_start_stays_a_cancellation(tmp_path: Path) -> None:
    """Cancelling the task that starts stops what was attempted and ends as cancelled."""
    project = installed(
        tmp_path,
        [
            recording("alpha"),
            recording("bravo", start="await __import__('asyncio').Event().wait()"),
        ],
    )

    async def main() -> None:
        runtime = open_runtime(project)
        task = asyncio.create_task(runtime.astart())
        # One step of the loop takes the task to its first wait, which is bravo's start.
        await asyncio.sleep(0)
        assert EVENTS == ["start alpha", "start bravo"]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert EVENTS == ["start alpha", "start bravo", "stop bravo", "stop alpha"]


def test_every_stop_is_attempted_and_each_failure_named(tmp_path: Path) -> None:
    """A stop that raises does not keep the others from stopping."""
    project = installed(
        tmp_path,
        [
            recording("alpha"),
            recording("bravo", stop="raise OSError('hunter2')"),
            recording("charlie", stop="raise asyncio.CancelledError"),
        ],
    )
    runtime = open_runtime(project)
    runtime.start()
    with pytest.raises(LoadError) as caught:
        runtime.close()
    assert EVENTS[3:] == ["stop charlie", "stop bravo", "stop alpha"]
    assert [(Path(p.path).parts[-2:], p.got) for p in caught.value.problems] == [
        (("extensions", "charlie"), "CancelledError"),
        (("bravo", "extension.py"), "OSError"),
    ]
    assert "hunter2" not in shown(caught.value)


SLOW = """from harnest.sandbox import Sandbox, SandboxResult
from tests.support.recorder import EVENTS, WAITING


class Slow:
    def execute(self, request):
        return SandboxResult()

    def close(self):
        EVENTS.append("closing")
        assert WAITING.wait(60)


slow = Sandbox.provider(Slow)
"""


def test_an_interrupted_close_still_stops_the_extensions(tmp_path: Path) -> None:
    """Cancelling a close whose provider takes its time goes on with every stop."""
    project = installed(tmp_path, [recording("alpha")], sandboxes={"slow": SLOW})
    WAITING.clear()

    async def main() -> None:
        runtime = open_runtime(project)
        await runtime.astart()
        async with runtime.invocation(agent_name="assistant"):
            await context.sandboxes["slow"].aexecute("x")
        task = asyncio.create_task(runtime.aclose())
        await asyncio.to_thread(until, lambda: "closing" in EVENTS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert EVENTS == ["start alpha", "closing", "stop alpha"]
        WAITING.set()

    asyncio.run(main())


STUBBORN = """
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if 'let go' in EVENTS: raise
"""


@pytest.mark.parametrize(
    "stop", ["await asyncio.Event().wait()", STUBBORN], ids=["hangs", "ignores-cancellation"]
)
def test_a_stop_that_hangs_is_bounded(tmp_path: Path, stop: str) -> None:
    """It is cancelled after its time and named; the others are stopped."""
    project = Project.at(installed(tmp_path, [recording("alpha"), recording("bravo", stop=stop)]))
    active = activate(make_plan(discover(project, EnvironmentView())))

    def start_context(each: LoadedExtension) -> ExtensionStartContext:
        slug = each.candidate.slug
        authority = StartAuthority(Authorities(active, tmp_path), slug)
        return ExtensionStartContext(
            extension_name=slug, framework="none", root_agent_name="demo", authority=authority
        )

    async def main() -> list[Problem]:
        life = LifeCycle(tuple(active.loaded.values()), start_context, stop_seconds=0.02)
        await life.start()
        problems = await life.stop()
        EVENTS.append("let go")
        [task.cancel() for task in asyncio.all_tasks() if task.get_name() == "stop bravo"]
        return problems

    [problem] = asyncio.run(main())
    active.release()
    assert (problem.rule, Path(problem.path).name) == ("runtime.stop", "bravo")
    assert "0.02 seconds" in problem.message
    assert EVENTS[2:4] == ["stop bravo", "stop alpha"]


def test_two_running_runtimes_do_not_share_singletons(tmp_path: Path) -> None:
    """A second runtime of the same project is refused while the first runs, and works later."""
    project = installed(tmp_path, [recording("alpha")])
    with open_runtime(project):
        with pytest.raises(LoadError) as caught:
            open_runtime(project).start()
        assert (caught.value.kind, caught.value.rule) == ("busy", "runtime.owned")
    with open_runtime(project):
        pass
    assert EVENTS == ["start alpha", "stop alpha"] * 2


def test_the_start_context_says_who_starts_where(tmp_path: Path) -> None:
    """Name, framework and root agent are facts of the start context."""
    parts = "context.extension_name, context.framework, context.root_agent_name"
    note = f"EVENTS.append(' '.join(({parts})))"
    project = installed(tmp_path, [recording("alpha", start=note)], name="weather_agent")
    with open_runtime(project, framework="langgraph"):
        assert EVENTS[1] == "alpha langgraph weather_agent"


@pytest.mark.parametrize(
    ("use", "capability"),
    [
        ("context.storage('notes')", "context.storage"),
        ("context.continuations", "context.continuations"),
    ],
)
def test_an_authority_needs_its_capability(tmp_path: Path, use: str, capability: str) -> None:
    """What is not declared raises a ContextResourceError that says what to add."""
    start = f"""
        try:
            EVENTS.append(type({use}).__name__)
        except Exception as error:
            EVENTS.append(f"{{type(error).__name__}}: {{error}}")
"""
    with open_runtime(installed(tmp_path, [recording("alpha", start=start)], name="without")):
        assert EVENTS[1].startswith(ContextResourceError.__name__)
        assert capability in EVENTS[1]
    EVENTS.clear()
    spec = recording("alpha", start=start, capabilities=(capability,))
    with open_runtime(installed(tmp_path, [spec], name="with_it")):
        assert EVENTS[1] in {"SqliteStorage", "ContinuationDesk"}


def test_threads_that_start_and_close_at_once_take_turns(tmp_path: Path) -> None:
    """Each call comes back when it is done, and the extensions start and stop once."""
    runtime = open_runtime(installed(tmp_path, [recording("alpha", stop="await asyncio.sleep(0)")]))
    together = threading.Barrier(8)

    def call(change: Callable[[], None]) -> None:
        together.wait(LONG)
        change()

    with ThreadPoolExecutor(8) as pool:
        for change in (runtime.start, runtime.close):
            for done in [pool.submit(call, change) for _ in range(8)]:
                assert done.exception(LONG) is None
    assert EVENTS == ["start alpha", "stop alpha"]


def test_a_handler_can_not_close_what_it_interrupts(tmp_path: Path) -> None:
    """It would wait for its own thread: it is refused, and starting goes on."""
    source = "import signal\nsignal.raise_signal(signal.SIGUSR1)\n" + PLAIN
    runtime = open_runtime(installed(tmp_path, sandboxes={"plain": source}))
    refused: list[LoadError] = []

    def handle(*_: object) -> None:
        with pytest.raises(LoadError) as caught:
            runtime.close()
        refused.append(caught.value)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        runtime.start()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert [error.rule for error in refused] == ["runtime.state"]
    assert list(runtime.running.catalog.declared) == ["plain"]
    runtime.close()
