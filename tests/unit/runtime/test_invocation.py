"""Invocations: identity, grants, and what happens to everything when they end."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from harnest import context
from harnest.extensions import ExtensionContext, ExtensionContextUnavailableError
from harnest.sandbox import SandboxCancelledError, SandboxFile, SandboxStatus
from harnest_ext.errors import LoadError
from tests.support.projects import SANDBOX_FILE, echo_extension, extension, installed
from tests.support.recorder import WAITING
from tests.support.runtimes import open_runtime, shown
from tests.support.waiting import LONG, before_a_deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harnest.sandbox import SandboxResult
    from harnest_ext.runtime import AgentRuntime

CONFIG = """apiVersion: harnest.dev/v1alpha1
kind: Agent
metadata: {name: demo}
spec:
  agents:
    - name: assistant
      sandboxes: [python, missing]
    - name: reader
"""
CONTEXTS = """    def create_context(self, base):
        from harnest.extensions import ExtensionContext

        class Own(ExtensionContext):
            def use(self):
                self._require_active()
                return self.extension_name

        return Own(base.extension_name)
"""


@pytest.fixture(autouse=True)
def _nobody_waits() -> None:
    WAITING.clear()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two agents, one of which may use the sandbox ``python``."""
    sandboxes = {"python": SANDBOX_FILE.format(name="python", timeout=300)}
    folder = installed(
        tmp_path, [echo_extension(), extension("alpha", CONTEXTS)], sandboxes=sandboxes
    )
    (folder / "config.yaml").write_text(CONFIG)
    return folder


@pytest.fixture
def runtime(project: Path) -> Iterator[AgentRuntime]:
    """That project, running."""
    with open_runtime(project) as running:
        yield running


USES: dict[str, Callable[[], object]] = {
    "current": context.current,
    "sandboxes": lambda: context.sandboxes["python"],
    "names": lambda: list(context.sandboxes),
    "contains": lambda: "python" in context.sandboxes,
    "extensions": lambda: context.extensions("alpha"),
    "storage": lambda: context.storage("notes"),
    "credentials": lambda: asyncio.run(context.credentials.resolve("tracker")),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_outside_of_an_invocation_nothing_is_there(use: Callable[[], object]) -> None:
    """Every part of the facade refuses and says what to open."""
    with pytest.raises(context.ContextUnavailableError, match=r"AgentRuntime\.invocation"):
        use()


def test_an_invocation_has_its_identity(runtime: AgentRuntime) -> None:
    """What is given is what current() tells; the invocation's own id is made up and unique."""
    seen = []
    for _ in range(2):
        with runtime.invocation(agent_name="reader", user_id="ada", session_id="s-1") as invocation:
            who = context.current()
            assert who is invocation.identity
            assert (who.agent_name, who.user_id, who.session_id) == ("reader", "ada", "s-1")
            assert "ada" not in repr(who)
            seen.append(who.invocation_id)
    assert len(set(seen)) == 2
    with runtime.invocation(agent_name="reader", invocation_id="i-1"):
        assert context.current().invocation_id == "i-1"
        assert context.current().user_id is None


def test_an_unknown_agent_is_refused_with_the_known_ones(runtime: AgentRuntime) -> None:
    """The text names those that config.yaml declares."""
    with pytest.raises(context.ContextResourceError, match="assistant, reader"):
        runtime.invocation(agent_name="nobody")
    with pytest.raises(TypeError):
        runtime.invocation(agent_name="reader", user_id=3)  # type: ignore[arg-type]


def test_a_granted_sandbox_runs_with_the_identity_and_the_declared_bounds(
    runtime: AgentRuntime,
) -> None:
    """The provider sees who asks; deadline and policy come from the declaration."""
    with runtime.invocation(
        agent_name="assistant", user_id="ada", session_id="s", invocation_id="i"
    ):
        assert context.sandboxes["python"].execute("who").stdout == "assistant/ada/s/i"
        file = SandboxFile("a.txt", b"data", "text/plain")
        result = context.sandboxes["python"].execute("copy", input_files=[file])
        assert result.output_files == (file,)
        assert list(context.sandboxes) == ["python"]
        assert len(context.sandboxes) == 1
        assert "python" in context.sandboxes
        assert "missing" not in context.sandboxes


@pytest.mark.parametrize(
    ("agent", "name", "error", "match"),
    [
        ("reader", "python", context.ContextResourceError, "'python'.*'reader'.*'sandboxes'"),
        ("assistant", "missing", context.ContextResourceError, r"sandbox/missing\.py"),
        ("assistant", "pyhton", context.ContextResourceError, "Did you mean 'python'"),
        ("assistant", 3, TypeError, "must be str"),
        ("assistant", None, TypeError, "must be str"),
    ],
)
def test_what_is_not_granted_is_refused(
    runtime: AgentRuntime, agent: str, name: Any, error: type[Exception], match: str
) -> None:
    """The refusal names sandbox, agent and list, or the file that would declare it."""
    with runtime.invocation(agent_name=agent), pytest.raises(error, match=match):
        context.sandboxes[name]


def test_grants_that_lead_nowhere_are_noted(runtime: AgentRuntime) -> None:
    """A granted name that no file declares is pointed out with its line."""
    [note] = runtime.notes
    assert (note.rule, note.got, note.line) == ("config.grant", "missing", 6)


def test_an_argument_of_a_wrong_type_is_refused(runtime: AgentRuntime) -> None:
    """Code and files are checked before the provider sees them."""
    with runtime.invocation(agent_name="assistant"):
        handle = context.sandboxes["python"]
        with pytest.raises(ValueError, match="code"):
            handle.execute("  ")
        with pytest.raises(TypeError):
            handle.execute("who", input_files=["a"])  # type: ignore[list-item]


def test_handles_are_dead_after_the_invocation(runtime: AgentRuntime) -> None:
    """Sandboxes, contexts, storages and resolvers that were kept refuse to work."""
    with runtime.invocation(agent_name="assistant"):
        handle = context.sandboxes["python"]
        own: Any = context.extensions("alpha")
        storage = context.storage("notes")
        assert own.use() == "alpha"
        asyncio.run(storage.put("key", b"value"))
    with pytest.raises(context.ContextUnavailableError, match="has ended"):
        handle.execute("who")
    with pytest.raises(context.ContextUnavailableError, match="has ended"):
        asyncio.run(handle.aexecute("who"))
    with pytest.raises(ExtensionContextUnavailableError, match="has ended"):
        own.use()
    with pytest.raises(context.ContextUnavailableError, match="has ended"):
        asyncio.run(storage.get("key"))


def test_revocation_reaches_copied_contexts_and_threads(runtime: AgentRuntime) -> None:
    """A context that was copied inside an invocation is of no use after it."""
    with runtime.invocation(agent_name="assistant"):
        copied = contextvars.copy_context()
        assert copied.run(context.current).agent_name == "assistant"
        assert copied.run(lambda: context.sandboxes["python"].execute("echo x")).stdout == "x\n"
    with ThreadPoolExecutor(1) as pool:
        for use in USES.values():
            error = pool.submit(copied.run, use).exception(LONG)
            assert isinstance(error, context.ContextUnavailableError)
            assert "ended" in str(error)


def test_the_end_of_an_invocation_cancels_what_runs(runtime: AgentRuntime) -> None:
    """A thread that executes on the invocation's authority stops when the invocation ends."""
    with ThreadPoolExecutor(1) as pool:
        with runtime.invocation(agent_name="assistant"):
            handle = context.sandboxes["python"]
            future = pool.submit(handle.execute, "wait")
            assert WAITING.wait(LONG)
        error = future.exception(LONG)
    assert isinstance(error, SandboxCancelledError)


def test_closing_the_runtime_revokes_open_invocations(project: Path) -> None:
    """A runtime that closes ends what its invocations run, and their handles."""
    runtime = open_runtime(project)
    runtime.start()
    invocation = runtime.invocation(agent_name="assistant")
    with invocation, ThreadPoolExecutor(1) as pool:
        handle = context.sandboxes["python"]
        future = pool.submit(handle.execute, "wait")
        assert WAITING.wait(LONG)
        runtime.close()
        assert isinstance(future.exception(LONG), SandboxCancelledError)
        assert not invocation.active
        with pytest.raises(context.ContextUnavailableError, match="ended"):
            context.current()


def test_cancelling_the_task_cancels_the_execution(runtime: AgentRuntime) -> None:
    """``aexecute`` ends with its task, and the next execution works."""

    async def main() -> None:
        async with runtime.invocation(agent_name="assistant"):
            handle = context.sandboxes["python"]
            task = asyncio.create_task(handle.aexecute("wait"))
            assert await asyncio.to_thread(WAITING.wait, LONG)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await handle.aexecute("echo x")).stdout == "x\n"

    asyncio.run(main())


def test_a_deadline_is_a_result(tmp_path: Path) -> None:
    """The declared deadline ends a program and says in which phase."""

    def wait(seconds: int) -> SandboxResult:
        source = SANDBOX_FILE.format(name="python", timeout=seconds)
        place = tmp_path / str(seconds)
        project = installed(place, [echo_extension()], sandboxes={"python": source})
        with open_runtime(project) as runtime, runtime.invocation(agent_name="assistant"):
            return context.sandboxes["python"].execute("wait")

    result = before_a_deadline(wait, reached=WAITING.is_set)
    assert result.status is SandboxStatus.TIMED_OUT
    assert result.metadata["phase"] == "execution"


def test_extensions_have_a_context_of_their_own_in_each_invocation(runtime: AgentRuntime) -> None:
    """The singleton's context is the invocation's, in nested invocations too."""
    loaded: Any = runtime.running.active.loaded
    alpha, echo = loaded["alpha"].extension, loaded["echo"].extension
    with runtime.invocation(agent_name="assistant"):
        outer = alpha.context
        assert context.extensions("alpha") is outer
        assert type(echo.context) is ExtensionContext
        with runtime.invocation(agent_name="reader"):
            assert alpha.context is not outer
            assert context.current().agent_name == "reader"
        assert alpha.context is outer
        assert context.current().agent_name == "assistant"
        with pytest.raises(context.ContextResourceError, match="harnest extensions install beta"):
            context.extensions("beta")
        with pytest.raises(context.ContextTypeError, match="not a int"):
            context.extensions("alpha", int)
    with pytest.raises(ExtensionContextUnavailableError):
        _ = alpha.context


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("raise ValueError('hunter2')", "ValueError"),
        ("return None", "TypeError"),
        ("return type(base)('other')", "ValueError"),
        ("return self.__dict__.setdefault('kept', base)", "ValueError"),
    ],
    ids=["raises", "nothing", "of-another", "kept"],
)
def test_a_broken_create_context_refuses_the_invocation(
    tmp_path: Path, body: str, got: str
) -> None:
    """It is named by type, and what was opened before it is revoked again."""
    spec = extension("alpha", f"    def create_context(self, base):\n        {body}\n")
    with open_runtime(installed(tmp_path, [spec])) as runtime:
        if "kept" in body:
            with runtime.invocation(agent_name="assistant"):
                pass
        with pytest.raises(LoadError) as caught:
            runtime.invocation(agent_name="assistant").__enter__()
        assert (caught.value.rule, caught.value.got) == ("runtime.context", got)
        assert "hunter2" not in shown(caught.value)
        with pytest.raises(context.ContextUnavailableError):
            context.current()


def test_an_invocation_is_entered_once(runtime: AgentRuntime) -> None:
    """A second entry is refused; leaving it in another task still revokes."""
    invocation = runtime.invocation(agent_name="reader")
    with invocation, pytest.raises(LoadError, match="entered once"):
        invocation.__enter__()
    late = runtime.invocation(agent_name="reader")

    async def main() -> None:
        await asyncio.create_task(_call(late.__aenter__))
        await asyncio.create_task(_call(lambda: late.__aexit__(None, None, None)))

    asyncio.run(main())
    assert not late.active


def test_a_hundred_parallel_invocations_see_only_their_own(project: Path) -> None:
    """Tasks and threads at once: each sees its identity and its grants alone, all the time."""

    async def one(runtime: AgentRuntime, number: int) -> None:
        agent = "assistant" if number % 2 else "reader"
        async with runtime.invocation(agent_name=agent, user_id=f"u{number}", session_id="s"):
            for _ in range(3):
                await asyncio.sleep(0)
                assert context.current().user_id == f"u{number}"
                own: Any = context.extensions("alpha")
                assert own.use() == "alpha"
                if agent == "reader":
                    with pytest.raises(context.ContextResourceError):
                        context.sandboxes["python"]
                    continue
                who = await context.sandboxes["python"].aexecute("who")
                assert who.stdout.startswith(f"assistant/u{number}/s/")
                same = await asyncio.to_thread(lambda: context.current().user_id)
                assert same == f"u{number}"

    async def main() -> None:
        async with open_runtime(project) as runtime:
            await asyncio.gather(*(one(runtime, number) for number in range(100)))

    asyncio.run(main())


def test_a_hundred_invocations_in_threads_see_only_their_own(project: Path) -> None:
    """The same for plain threads of a runtime that is used without asyncio."""
    with open_runtime(project) as runtime:

        def one(number: int) -> str:
            agent = "assistant" if number % 2 else "reader"
            with runtime.invocation(agent_name=agent, user_id=f"u{number}"):
                own: Any = context.extensions("alpha")
                seen = [context.current().user_id, own.use(), *context.sandboxes]
                if agent == "assistant":
                    seen.append(context.sandboxes["python"].execute("who").stdout.split("/")[1])
            return " ".join(map(str, seen))

        with ThreadPoolExecutor(20) as pool:
            seen = list(pool.map(one, range(100)))
    assert seen == [
        f"u{number} alpha python u{number}" if number % 2 else f"u{number} alpha"
        for number in range(100)
    ]


def test_a_runtime_that_closes_during_an_entry_leaves_nothing_open(tmp_path: Path) -> None:
    """An invocation whose contexts are being opened while the runtime closes does not begin."""
    body = """    def create_context(self, base):
        self.seen = base
        self.close()
        return base
"""
    runtime = open_runtime(installed(tmp_path, [extension("alpha", body)]))
    runtime.start()
    loaded: Any = runtime.running.active.loaded
    alpha = loaded["alpha"].extension
    alpha.close = runtime.close
    with pytest.raises(LoadError) as caught:
        runtime.invocation(agent_name="assistant").__enter__()
    assert caught.value.rule == "runtime.state"
    assert not alpha.seen.active
    with pytest.raises(context.ContextUnavailableError):
        context.current()


async def _call(make: Callable[[], Any]) -> None:
    await make()
