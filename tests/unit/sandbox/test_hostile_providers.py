"""Whatever a provider raises or swallows, its caller gets a plain outcome, and gets it at all."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

import pytest

from harnest.sandbox import (
    SandboxExecutionError,
    SandboxFile,
    SandboxResult,
    SandboxStatus,
    control,
)
from harnest.sandbox.closing import aclose_provider
from harnest.sandbox.optional import OutputStream
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare
from tests.support.runtimes import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox import SandboxRequest
    from harnest.sandbox.optional import OutputSink

SECRET = "hunter2-planted"
PATIENCE = 60
"""Seconds after which a call that never returns is given up."""


class TrapError(Exception):
    """Its phase is a trap."""

    @property
    def phase(self) -> str:
        """Raise another secret."""
        raise RuntimeError(SECRET)


class Liar(str):
    """Text that shows itself as something else."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return SECRET

    __str__ = __repr__ = lambda self: SECRET


class PhasedError(Exception):
    """Its phase is text of another kind."""

    phase = Liar("pull")


class PrivateEnd(BaseException):
    """What no caller knows."""


def managed(error: BaseException) -> ManagedSandbox:
    """Return a managed sandbox whose provider raises ``error``."""

    def script(_: SandboxRequest) -> NoReturn:
        raise error

    return ManagedSandbox(declare(ScriptedProvider(script)))


def ended(sandbox: ManagedSandbox, call: Callable[[ManagedSandbox], object]) -> BaseException:
    """Return what a call raises."""
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - the type is what is looked at
        call(sandbox)
    return caught.value


def execute(sandbox: ManagedSandbox) -> SandboxResult:
    """Execute in this thread."""
    return sandbox.execute(sandbox.request("pass"))


def aexecute(sandbox: ManagedSandbox) -> SandboxResult:
    """Execute in an event loop, whose thread is another than the provider's."""

    async def call() -> SandboxResult:
        return await asyncio.wait_for(sandbox.aexecute(sandbox.request("pass")), PATIENCE)

    return asyncio.run(call())


@pytest.mark.parametrize("call", [execute, aexecute])
@pytest.mark.parametrize(
    ("error", "named"),
    [
        (TrapError(SECRET), "TrapError"),
        (PhasedError(SECRET), 'PhasedError in phase "pull"'),
        (PrivateEnd(SECRET), "PrivateEnd"),
        (BaseExceptionGroup(SECRET, [KeyboardInterrupt(), ValueError(SECRET)]), "BaseExceptionG"),
        (StopIteration(SECRET), "StopIteration"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_kind_of_exception_is_hidden(
    call: Callable[[ManagedSandbox], object], error: BaseException, named: str
) -> None:
    """Groups, private BaseExceptions, traps in attributes: a plain error with the type's name."""
    got = ended(managed(error), call)
    assert type(got) is SandboxExecutionError
    assert f"failed with {named}" in str(got)
    assert SECRET not in shown(got)


@pytest.mark.parametrize("error", [SystemExit(SECRET), KeyboardInterrupt(SECRET)])
def test_an_exit_in_this_thread_stays_one_without_its_text(error: BaseException) -> None:
    """It may be the caller's own signal handler that raised; an exit code is kept."""
    got = ended(managed(error), execute)
    assert type(got) is type(error)
    assert SECRET not in shown(got)
    assert ended(managed(SystemExit(7)), execute).args == (7,)


@pytest.mark.parametrize("error", [SystemExit(SECRET), KeyboardInterrupt(SECRET)])
def test_an_exit_in_another_thread_is_the_providers_failure(error: BaseException) -> None:
    """It must not end the event loop, and with it tasks that have nothing to do with it."""
    got = ended(managed(error), aexecute)
    assert type(got) is SandboxExecutionError
    assert type(error).__name__ in str(got)
    assert SECRET not in shown(got)


def test_a_close_that_exits_is_a_failed_close() -> None:
    """Whoever closes several providers goes on to the next."""

    class Exiting(ScriptedProvider):
        def close(self) -> None:
            raise SystemExit(SECRET)

    sandbox = ManagedSandbox(declare(Exiting()))
    execute(sandbox)
    got = ended(sandbox, ManagedSandbox.close)
    assert type(got) is SandboxExecutionError
    assert SECRET not in shown(got)


class Stubborn:
    """An asynchronous provider that hears no cancellation."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.released = asyncio.Event()

    def execute(self, request: SandboxRequest) -> NoReturn:
        """Never called."""
        raise AssertionError(request)

    async def aexecute(self, request: SandboxRequest) -> SandboxResult:
        """Tell its own cancellation as a result."""
        del request
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return SandboxResult(status=SandboxStatus.CANCELLED)
        raise AssertionError

    async def aclose(self) -> None:
        """Go on waiting whatever is asked."""
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                continue


def test_a_cancelled_task_ends_as_one_although_the_provider_returned_a_result() -> None:
    """The task's owner asked for its end; a result would let the task go on."""

    async def call() -> None:
        provider = Stubborn()
        sandbox = ManagedSandbox(declare(provider))
        task = asyncio.create_task(sandbox.aexecute(sandbox.request("pass")))
        await provider.begun.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(call())


def test_an_aclose_that_ignores_its_cancellation_is_left_in_time() -> None:
    """The wait for it is bounded, and its cleanup scope is open as long as it works."""

    async def call() -> None:
        provider = Stubborn()
        with pytest.raises(SandboxExecutionError, match=r"closing within 0\.05"):
            await asyncio.wait_for(aclose_provider(provider, patience=0.05), PATIENCE)
        provider.released.set()

    asyncio.run(call())


def test_aclose_works_under_a_cleanup_scope() -> None:
    """As ``close`` does: release is admitted, and its deadline can be asked for."""
    seen: list[float | None] = []

    class Watching(Stubborn):
        async def aclose(self) -> None:
            await asyncio.sleep(0)
            scope = control.current()
            assert scope is not None
            scope.check()
            seen.append(scope.remaining())

    async def call() -> None:
        await aclose_provider(Watching())

    asyncio.run(call())
    assert seen[0]


def test_a_failing_receiver_of_output_learns_nothing_of_the_providers_error() -> None:
    """A provider may hand on output while it handles an error of its own."""

    class Handling(ScriptedProvider):
        def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> NoReturn:
            try:
                int(SECRET)
            except ValueError:
                on_output(OutputStream.STDERR, "partial")
            raise AssertionError(request)

    def sink(stream: OutputStream, text: str) -> None:
        try:
            dict[str, str]()[text]
        except KeyError:
            raise BrokenPipeError(stream) from None

    sandbox = ManagedSandbox(declare(Handling()))
    with pytest.raises(BrokenPipeError) as caught:
        sandbox.execute_streaming(sandbox.request("pass"), sink)
    assert SECRET not in shown(caught.value)
    assert isinstance(caught.value.__context__, KeyError)


def test_a_deadline_beyond_all_measure_is_a_far_one() -> None:
    """An int has no largest value, a clock has."""
    with control.execute(10**400) as scope:
        scope.constrain(10**400)
        scope.check()
        assert scope.remaining()


@pytest.mark.parametrize("call", [execute, aexecute])
def test_an_output_file_that_can_not_be_decoded_is_the_providers_failure(
    call: Callable[[ManagedSandbox], object],
) -> None:
    """No adapter and no command meets one."""
    result = SandboxResult(output_files=(SandboxFile("chart.png", f"{SECRET}!"),))
    sandbox = ManagedSandbox(declare(ScriptedProvider(lambda _: result)))
    got = ended(sandbox, call)
    assert type(got) is SandboxExecutionError
    assert SECRET not in shown(got)
