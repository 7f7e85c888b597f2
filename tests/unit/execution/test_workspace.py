"""A workspace sees to what all tiers have in common, whatever the tier does."""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution import (
    BackendError,
    DescribedBackend,
    EngineResult,
    ExecutionBackend,
    ExecutionCall,
    HookManager,
    OwnedBackend,
    TierUnavailableError,
    UnsupportedPromiseError,
    Workspace,
    WorkspaceClosedError,
    WorkspaceConfig,
    limits,
)
from harnest.execution.local import workdir
from harnest.execution.tools import WorkspaceTools
from harnest.sandbox import SandboxCancelledError, SandboxExecutionError, control
from tests.fakes.engine import FakeTier, offer, until_stopped
from tests.support.waiting import LONG

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run in an event loop of its own."""
    return asyncio.run(asyncio.wait_for(work, 2 * LONG))


@asynccontextmanager
async def opened(
    monkeypatch: pytest.MonkeyPatch, tier: FakeTier, **options: Any
) -> AsyncIterator[Workspace]:
    """A workspace on a fake tier, open."""
    hooks = options.pop("hooks", None)
    config = offer(monkeypatch, tier)
    async with Workspace(WorkspaceConfig(tier=config.tier, **options), hooks=hooks) as workspace:
        yield workspace


def own_directories() -> list[Path]:
    """The private work directories of this process."""
    found = workdir.leftovers(workdir.WORKSPACE_PREFIX)
    return [item.path for item in found if item.pid == os.getpid()]


def test_a_call_becomes_the_engines_and_its_answer_a_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Text, deadline and input arrive; files are found by looking."""

    def script(call: Any, folder: Path) -> EngineResult:
        (folder / "made").write_text(call.text)
        return EngineResult(
            stdout=b"a\xff\xc3", stderr=b"e", exit_code=7, truncated=True, denials=("no",)
        )

    async def work() -> None:
        tier = FakeTier(script=script)
        async with opened(monkeypatch, tier, timeout_seconds=90) as workspace:
            result = await workspace.execute_command("echo", stdin=b"in", timeout=60)
            await workspace.execute("print()", timeout=500)
        assert (result.stdout, result.stdout_bytes, result.stderr) == ("a�", b"a\xff\xc3", "e")
        assert (result.exit_code, result.truncated, result.denials) == (7, True, ("no",))
        assert result.files_created == ("made",)
        [first, second] = tier.engines[0].calls
        assert (first.kind, first.text, first.stdin) == ("execute_command", "echo", b"in")
        assert (second.kind, second.text, second.stdin) == ("execute", "print()", None)
        assert (first.timeout_seconds, second.timeout_seconds) == (60, 90)

    run(work())


def test_an_engine_that_knows_its_files_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it tells them nothing is looked for."""

    def script(_call: Any, folder: Path) -> EngineResult:
        (folder / "made").touch()
        return EngineResult(exit_code=0, files_created=("b", "a"))

    async def work() -> None:
        async with opened(monkeypatch, FakeTier(script=script)) as workspace:
            assert (await workspace.execute("1")).files_created == ("a", "b")

    run(work())


@pytest.mark.parametrize("timeout", [0, -1, True, False, 1.0, "1"])
def test_a_timeout_is_a_positive_int(monkeypatch: pytest.MonkeyPatch, timeout: Any) -> None:
    """Anything else is refused, and nothing is run."""

    async def work() -> None:
        tier = FakeTier()
        async with opened(monkeypatch, tier) as workspace:
            for call in (workspace.execute, workspace.execute_command):
                with pytest.raises(ValueError, match="timeout"):
                    await call("x", timeout=timeout)
        assert tier.engines[0].calls == []

    run(work())


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda w: w.execute("x", "bash"), ValueError),
        (lambda w: w.execute(""), ValueError),
        (lambda w: w.execute(b"x"), ValueError),
        (lambda w: w.execute_command("a\0b"), ValueError),
        (lambda w: w.execute_command("\udcff"), ValueError),
        (lambda w: w.execute_command("x" * (limits.COMMAND_BYTES + 1)), ValueError),
        (lambda w: w.execute_command("x", stdin="text"), TypeError),
        (lambda w: w.execute_command("x", stdin=bytes(limits.STDIN_BYTES + 1)), ValueError),
    ],
)
def test_other_arguments_are_checked_before_dispatch(
    monkeypatch: pytest.MonkeyPatch, call: Callable[[Any], Any], kind: type[Exception]
) -> None:
    """Nothing that can't be delivered reaches the tier."""

    async def work() -> None:
        tier = FakeTier()
        async with opened(monkeypatch, tier) as workspace:
            with pytest.raises(kind):
                await call(workspace)
        assert tier.engines[0].calls == []

    run(work())


def test_the_engine_works_under_the_deadline_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told by the control scope, and an engine that raises at it gives a time-out."""
    started = threading.Event()

    async def work() -> None:
        tier = FakeTier(script=lambda _call, _folder: until_stopped(started))
        async with opened(monkeypatch, tier) as workspace:
            result = await workspace.execute("x", timeout=1)
        assert (result.timed_out, result.exit_code) == (True, None)

    run(work())


def test_a_cancelled_task_waits_for_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is cancelled; the event is told."""
    started, stopped, go = threading.Event(), threading.Event(), threading.Event()

    def script(_call: Any, _folder: Path) -> EngineResult:
        try:
            return until_stopped(started)
        finally:
            stopped.set()
            assert go.wait(LONG)  # what takes its time to end

    async def work() -> None:
        hooks, heard = HookManager(), list[Any]()
        hooks.on("sandbox_exec", lambda context: heard.append(context.data))
        async with opened(monkeypatch, FakeTier(script=script), hooks=hooks) as workspace:
            task = asyncio.create_task(workspace.execute("x"))
            assert await asyncio.to_thread(started.wait, LONG)
            for _ in range(2):
                task.cancel()
                assert await asyncio.to_thread(stopped.wait, LONG)
                assert not task.done()
            go.set()
            with pytest.raises(asyncio.CancelledError):
                await task
        [data] = heard
        assert (data["kind"], data["exit_code"], data["timed_out"]) == ("execute", None, False)
        assert data["execution_time_ms"] >= 1

    run(work())


@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        (RuntimeError("secret"), BackendError, "RuntimeError"),
        (SandboxExecutionError("fit to be shown"), BackendError, "fit to be shown"),
        (BackendError("own words"), BackendError, "own words"),
        (SandboxCancelledError("secret"), SandboxCancelledError, "cancelled"),
    ],
)
def test_errors_are_typed_hide_secrets_and_are_observed(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, kind: type[Exception], told: str
) -> None:
    """A failing tier is an error, never a result with an exit code that nobody returned."""

    def script(_call: Any, _folder: Path) -> EngineResult:
        raise raised

    async def work() -> None:
        hooks, heard = HookManager(), list[Any]()
        hooks.on("sandbox_exec", lambda context: heard.append(context.data))
        async with opened(monkeypatch, FakeTier(script=script), hooks=hooks) as workspace:
            with pytest.raises(kind, match=told) as caught:
                await workspace.execute_command("x")
        assert "secret" not in str(caught.value)
        assert caught.value is raised or caught.value.__context__ is None
        assert [data["exit_code"] for data in heard] == [None]

    run(work())


REFUSED: dict[str, Callable[[Workspace], Coroutine[Any, Any, Any]]] = {
    "timeout": lambda workspace: workspace.execute("x", timeout=0),
    "language": lambda workspace: workspace.execute("x", "ruby"),
    "blank": lambda workspace: workspace.execute_command(" "),
    "text": lambda workspace: workspace.execute_command(b"x"),  # type: ignore[arg-type]
    "stdin": lambda workspace: workspace.execute_command("x", stdin="x"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_refused_call_is_observed_as_one_that_took_no_time(
    monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    """Wrong arguments reach no tier, but whoever watches is told of the call; a closed one too."""

    async def work() -> None:
        hooks, heard = HookManager(), list[Any]()
        hooks.on("sandbox_exec", lambda context: heard.append(context.data))
        tier = FakeTier()
        async with opened(monkeypatch, tier, hooks=hooks) as workspace:
            with pytest.raises((ValueError, TypeError)):
                await REFUSED[wrong](workspace)
            assert tier.engines[0].calls == []
        with pytest.raises(WorkspaceClosedError):
            await workspace.execute("x")
        event = {"tier": "fake", "exit_code": None, "timed_out": False, "denials": ()}
        kind = "execute" if wrong in {"timeout", "language"} else "execute_command"
        assert heard == [
            event | {"kind": kind, "execution_time_ms": 0},
            event | {"kind": "execute", "execution_time_ms": 0},
        ]

    run(work())


def test_an_engine_that_returns_no_result_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Third parties write engines as well."""

    async def work() -> None:
        tier = FakeTier(script=lambda _call, _folder: "done")  # type: ignore[arg-type, return-value]
        async with opened(monkeypatch, tier) as workspace:
            with pytest.raises(BackendError, match="TypeError"):
                await workspace.execute("x")

    run(work())


def test_a_call_ends_with_the_control_scope_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its deadline holds, though the call has a later one."""
    started = threading.Event()

    async def work() -> None:
        tier = FakeTier(script=lambda _call, _folder: until_stopped(started))
        async with opened(monkeypatch, tier) as workspace:
            with control.execute(1):
                assert (await workspace.execute("x")).timed_out

    run(work())


def test_a_work_directory_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may remove everything; the next call says so, and closing is no trouble."""

    def script(_call: Any, folder: Path) -> EngineResult:
        folder.rmdir()
        return EngineResult(exit_code=0)

    async def work() -> None:
        async with opened(monkeypatch, FakeTier(script=script)) as workspace:
            assert (await workspace.execute("x")).files_created == ()
            with pytest.raises(BackendError, match="removed"):
                await workspace.execute("x")

    run(work())


def test_what_ends_a_call_leaves_the_control_scope_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A time-out of asyncio's around one call, and closing one workspace, end that alone."""
    started = threading.Event()

    def script(call: Any, _folder: Path) -> EngineResult:
        return until_stopped(started) if call.text == "wait" else EngineResult(exit_code=0)

    async def work() -> None:
        tier = FakeTier(script=script)
        with control.execute(300) as scope:
            async with opened(monkeypatch, tier) as workspace:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(workspace.execute("wait"), 0.2)
                assert (await workspace.execute("go on")).exit_code == 0
                task = asyncio.create_task(workspace.execute("wait"))
                await asyncio.sleep(0)
                await workspace.close()
                with pytest.raises(WorkspaceClosedError):
                    await task
            scope.check()

    run(work())


def test_a_directory_of_any_name_is_told_as_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever sends it to a model can encode it."""
    directory = tmp_path / "caf\udce9\n"
    directory.mkdir()
    (directory / "out").symlink_to("..")

    async def work() -> None:
        async with opened(monkeypatch, FakeTier(), directory=directory) as workspace:
            tools = WorkspaceTools(workspace)
            told = [(await tools.answer("read_file", {"path": p})).text for p in ("..", "out/x")]
            for text in (tools["bash"].description, *told):
                assert "caf" in text
                assert text.isprintable()
                assert text.encode()

    run(work())


def test_closing_ends_calls_and_removes_what_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is told that the workspace was closed; closing again is no error."""
    started = threading.Event()

    async def work() -> None:
        tier = FakeTier(script=lambda _call, _folder: until_stopped(started))
        async with opened(monkeypatch, tier) as workspace:
            assert own_directories() == [workspace.directory]
            assert workspace.directory.stat().st_mode & 0o777 == 0o700
            task = asyncio.create_task(workspace.execute("x"))
            assert await asyncio.to_thread(started.wait, LONG)
            await workspace.close()
            with pytest.raises(WorkspaceClosedError, match="while"):
                await task
            await workspace.close()
        assert (tier.engines[0].closed, own_directories()) == (1, [])

    run(work())


def test_a_failed_close_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is forgotten before it is released, but nothing more is run."""

    async def work() -> None:
        tier = FakeTier()
        workspace = Workspace(offer(monkeypatch, tier))
        await workspace.start()
        [engine] = tier.engines
        engine.fails_to_close = RuntimeError("secret")
        with pytest.raises(BackendError, match="RuntimeError") as caught:
            await workspace.close()
        assert "secret" not in str(caught.value)
        with pytest.raises(WorkspaceClosedError):
            await workspace.execute("x")
        engine.fails_to_close = None
        await workspace.close()
        assert (engine.closed, own_directories()) == (2, [])

    run(work())


def test_a_directory_of_the_callers_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is used by its real path."""
    (tmp_path / "link").symlink_to(tmp_path)

    async def work() -> None:
        async with opened(monkeypatch, FakeTier(), directory=tmp_path / "link") as workspace:
            assert workspace.directory == real

    real = tmp_path.resolve()
    run(work())
    assert real.exists()


def test_a_tier_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what is missing and how to get it, and nothing is left."""
    workspace = Workspace(WorkspaceConfig(tier="extension:no_such_tier"))
    with pytest.raises(TierUnavailableError, match="no_such_tier") as caught:
        run(workspace.start())
    assert caught.value.tier == "no_such_tier"
    assert "not installed" in caught.value.reason or "not among" in caught.value.reason
    assert "harnest extensions install no_such_tier" in caught.value.remedy
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert own_directories() == []
    with pytest.raises(WorkspaceClosedError):
        run(workspace.execute("x"))


@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        (RuntimeError("secret"), TierUnavailableError, "RuntimeError"),
        (TierUnavailableError("fake", "no daemon", "Start it."), TierUnavailableError, "no daemon"),
        (UnsupportedPromiseError("no network"), UnsupportedPromiseError, "no network"),
    ],
)
def test_a_tier_that_can_not_run_fails_before_dispatch(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, kind: type[Exception], told: str
) -> None:
    """With a typed error; the private directory is gone."""

    def build(_config: WorkspaceConfig) -> None:
        raise raised

    async def work() -> None:
        with pytest.raises(kind, match=told) as caught:
            async with opened(monkeypatch, FakeTier(build=build)):
                pytest.fail("it was opened")
        assert "secret" not in str(caught.value)
        assert own_directories() == []

    run(work())


@pytest.mark.parametrize("extension", [None, object(), "text"])
def test_an_extension_without_workspaces_is_named(
    monkeypatch: pytest.MonkeyPatch, extension: object
) -> None:
    """As is one whose engine is none."""
    with pytest.raises(TierUnavailableError, match="offers no workspaces"):
        run(Workspace(offer(monkeypatch, extension)).start())


def test_an_engine_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The port is checked where it is crossed."""

    class Wrong(FakeTier):
        def workspace(self, config: WorkspaceConfig, directory: Path) -> Any:
            return "no engine"

    with pytest.raises(TierUnavailableError, match="something else"):
        run(Workspace(offer(monkeypatch, Wrong())).start())


def test_cancelling_the_start_closes_what_it_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that is ready when nobody waits for it any more is closed again."""
    started, go_on = threading.Event(), threading.Event()

    def build(_config: WorkspaceConfig) -> None:
        started.set()
        assert go_on.wait(LONG)

    async def work() -> None:
        tier = FakeTier(build=build)
        task = asyncio.create_task(Workspace(offer(monkeypatch, tier)).start())
        assert await asyncio.to_thread(started.wait, LONG)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert tier.engines[0].closed == 1
        assert own_directories() == []

    run(work())


def test_closing_while_it_is_opened_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever comes first."""
    started, go_on = threading.Event(), threading.Event()

    def build(_config: WorkspaceConfig) -> None:
        started.set()
        assert go_on.wait(LONG)

    async def work() -> None:
        tier = FakeTier(build=build)
        workspace = Workspace(offer(monkeypatch, tier))
        task = asyncio.create_task(workspace.start())
        assert await asyncio.to_thread(started.wait, LONG)
        await workspace.close()
        go_on.set()
        with pytest.raises(WorkspaceClosedError, match="while"):
            await task
        assert tier.engines[0].closed == 1
        assert own_directories() == []

    run(work())


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"kind": "run"}, ValueError),
        ({"text": " "}, ValueError),
        ({"timeout_seconds": 0}, ValueError),
        ({"timeout_seconds": True}, ValueError),
        ({"stdin": "text"}, TypeError),
    ],
)
def test_a_call_is_a_checked_value(options: dict[str, Any], kind: type[Exception]) -> None:
    """Engines never see one that can't be carried out, and its text is not shown."""
    whole = {"kind": "execute", "text": "secret", "timeout_seconds": 1, "stdin": b"secret"}
    assert "secret" not in repr(ExecutionCall(**whole))  # type: ignore[arg-type]
    with pytest.raises(kind):
        ExecutionCall(**(whole | options))  # type: ignore[arg-type]


def test_a_forgotten_workspace_leaves_no_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever drops it without closing it."""
    workspace = Workspace(offer(monkeypatch, FakeTier()))
    run(workspace.start())
    assert len(own_directories()) == 1
    del workspace
    assert own_directories() == []


def test_what_lies_where_a_closed_workspace_was_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was removed once; dropping what is left of the workspace removes nothing more."""
    workspace = Workspace(offer(monkeypatch, FakeTier()))
    run(workspace.start())
    opened, directory = workspace._open, workspace.directory
    run(workspace.close())
    directory.mkdir()
    try:
        del opened
        assert directory.is_dir()
    finally:
        directory.rmdir()


def test_a_workspace_is_what_tools_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It implements the backend's port, describes itself, and belongs to its caller."""

    async def work() -> None:
        tier = FakeTier(inside="/inside")
        async with opened(monkeypatch, tier, timeout_seconds=7, file_tools="backend") as workspace:
            backend: ExecutionBackend = workspace
            assert isinstance(backend, ExecutionBackend)
            assert isinstance(backend, DescribedBackend)
            assert isinstance(backend, OwnedBackend)
            assert (backend.tier, backend.timeout_seconds, backend.shell) == ("fake", 7, "/bin/sh")
            assert (backend.agent_owned, backend.owns_filesystem) == (False, True)
            assert workspace.resolve_path("a") == "/inside/a"
            assert [row.name for row in workspace.guarantees] == ["access"]
            hooks = backend.hooks = HookManager()
            assert workspace.hooks is hooks

    run(work())


@pytest.mark.parametrize("wrong", [{"config": "docker"}, {"config": None}, {"hooks": print}])
def test_a_workspace_is_made_of_a_configuration(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any]
) -> None:
    """Its type is checked when it is made."""
    options = {"config": offer(monkeypatch, FakeTier()), "hooks": None} | wrong
    with pytest.raises(TypeError):
        Workspace(options.pop("config"), **options)


def test_before_it_is_open_it_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each access says so; it is opened once."""
    workspace = Workspace(offer(monkeypatch, FakeTier()))
    for access in ("directory", "guarantees"):
        with pytest.raises(WorkspaceClosedError, match="not open"):
            getattr(workspace, access)
    with pytest.raises(WorkspaceClosedError, match="not open"):
        workspace.resolve_path("x")

    async def twice() -> None:
        async with workspace:
            with pytest.raises(WorkspaceClosedError, match="once"):
                await workspace.start()

    run(twice())
