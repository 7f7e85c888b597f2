"""Continuations: waits that are recorded, finished once, and outlive a restart."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import pytest

from harnest import context
from harnest.continuation import (
    ContinuationConflictError,
    ContinuationError,
    ContinuationValidationError,
    ExternalContinuationFailed,
    ExternalContinuationUnavailableError,
)
from harnest.durable import current_native_durable_call, native_durable_call
from harnest_ext import limits
from tests.support.projects import extension, installed
from tests.support.runtimes import open_runtime, shown
from tests.support.waiting import LONG, until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

SECRET = "hunter2-is-secret"
BODY = """    async def start(self, context):
        self.desk = context.continuations
        self.desk.register_schema("job", self.checked)

    @staticmethod
    def checked(result):
        if "answer" not in result:
            raise ValueError(repr(result))
        return {"answer": result["answer"]}

    async def suspend(self, external_id="job-1", **given):
        values = {"capability": "jobs.run", "schema_id": "job", "validate": self.checked} | given
        return await self.context.continuations.suspend(external_id, **values)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an extension that suspends invocations."""
    return installed(tmp_path, [extension("jobs", BODY, capabilities=("context.continuations",))])


def running(project: Path, work: Callable[[Any, Any], Awaitable[Any]], **who: str) -> Any:
    """Do some work with the extension in an invocation; gives runtime and extension."""

    async def main() -> Any:
        async with open_runtime(project) as runtime:
            loaded: Any = runtime.running.active.loaded
            async with runtime.invocation(agent_name="assistant", **who):
                return await work(runtime, loaded["jobs"].extension)

    return asyncio.run(main())


def test_a_result_reaches_the_invocation_that_waits(project: Path) -> None:
    """Completing validates, stores and wakes; the record holds no result."""

    async def work(_: Any, jobs: Any) -> None:
        waiting = await jobs.suspend()
        [pending] = await jobs.desk.list_pending()
        assert (pending.external_id, pending.record.capability) == ("job-1", "jobs.run")
        assert pending.record.run_id == context.current().invocation_id
        assert pending.record.revision == 1
        result = asyncio.create_task(waiting.result())
        await jobs.desk.complete("job-1", {"answer": 42, "more": SECRET})
        assert await result == {"answer": 42}
        assert await jobs.desk.list_pending() == ()

    running(project, work)


def test_a_failure_reaches_it_as_its_code(project: Path) -> None:
    """The stable code alone is told."""

    async def work(_: Any, jobs: Any) -> None:
        waiting = await jobs.suspend()
        await jobs.desk.fail("job-1", "quota.exceeded")
        with pytest.raises(ExternalContinuationFailed) as caught:
            await waiting.result()
        assert caught.value.code == "quota.exceeded"
        for code in ("Quota", "", "a b", None):
            with pytest.raises(ContinuationValidationError):
                await jobs.desk.fail("job-1", code)

    running(project, work)


def test_a_wait_survives_a_restart(project: Path) -> None:
    """Another run lists it, completes it, and a replay of the same conversation gets the result."""
    who = {"user_id": "ada", "session_id": "s-1"}

    async def suspend(_: Any, jobs: Any) -> None:
        await jobs.suspend()

    async def complete(_: Any, jobs: Any) -> None:
        assert [p.external_id for p in await jobs.desk.list_pending()] == ["job-1"]
        await jobs.desk.complete("job-1", {"answer": 1})

    async def replay(_: Any, jobs: Any) -> Any:
        return await (await jobs.suspend()).result()

    running(project, suspend, **who)
    running(project, complete)
    assert running(project, replay, **who) == {"answer": 1}
    with pytest.raises(ContinuationConflictError):
        running(project, replay, user_id="eve", session_id="s-1")


def test_exactly_one_of_several_deliveries_counts(project: Path) -> None:
    """Results and failures that race: one is stored, the others are conflicts."""

    async def deliver(jobs: Any, number: int) -> bool:
        try:
            if number % 2:
                await jobs.desk.fail("job-1", "late")
            else:
                await jobs.desk.complete("job-1", {"answer": number})
        except ContinuationConflictError:
            return False
        return True

    async def work(_: Any, jobs: Any) -> None:
        await jobs.suspend()
        assert (await asyncio.gather(*(deliver(jobs, n) for n in range(12)))).count(True) == 1

    running(project, work)


def test_results_are_validated_and_bounded(project: Path) -> None:
    """What the schema refuses or what is no JSON is not stored, and its text is not told."""

    async def work(_: Any, jobs: Any) -> None:
        await jobs.suspend()
        for result in (
            {"other": SECRET},
            {"answer": object()},
            {"answer": float("nan")},
            {"answer": "x" * limits.CONTINUATION_BYTES},
        ):
            with pytest.raises(ContinuationValidationError) as caught:
                await jobs.desk.complete("job-1", result)
            assert SECRET not in shown(caught.value)
        assert len(await jobs.desk.list_pending()) == 1

    running(project, work)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"external_id": ""}, ContinuationValidationError),
        ({"external_id": "x" * 513}, ContinuationValidationError),
        ({"capability": " "}, ContinuationValidationError),
        ({"capability": "x" * 129}, ContinuationValidationError),
        ({"schema_id": "unknown"}, ContinuationValidationError),
        ({"validate": None}, ContinuationValidationError),
    ],
)
def test_a_wait_of_another_form_is_refused(
    project: Path, given: dict[str, Any], error: type[Exception]
) -> None:
    """Identifiers are bounded, and the schema must be registered."""

    async def work(_: Any, jobs: Any) -> None:
        with pytest.raises(error):
            await jobs.suspend(**given)
        assert await jobs.desk.list_pending() == ()

    running(project, work)


def test_nobody_waits_under_an_unknown_id(project: Path) -> None:
    """Completing what was never suspended is told apart from a conflict."""

    async def work(_: Any, jobs: Any) -> None:
        for deliver in (jobs.desk.complete("nope", {"answer": 1}), jobs.desk.fail("nope", "x")):
            with pytest.raises(ExternalContinuationUnavailableError, match="'nope'"):
                await deliver

    running(project, work)


def test_pending_waits_are_listed_in_pages(project: Path) -> None:
    """Pages start after an id of the page before."""

    async def work(_: Any, jobs: Any) -> None:
        for number in range(5):
            await jobs.suspend(f"job-{number}")
        first = await jobs.desk.list_pending(limit=2)
        rest = await jobs.desk.list_pending(after=first[-1].record.continuation_id)
        assert [p.external_id for p in (*first, *rest)] == [f"job-{n}" for n in range(5)]
        for wrong in ({"limit": 0}, {"limit": True}, {"after": "x"}, {"after": ""}):
            with pytest.raises(ContinuationValidationError):
                await jobs.desk.list_pending(**wrong)

    running(project, work)


def test_a_schema_is_registered_once(project: Path) -> None:
    """A second registration, or one of another form, is refused."""

    async def work(_: Any, jobs: Any) -> None:
        for schema, validate in (("job", jobs.checked), ("bad id", jobs.checked), ("more", None)):
            with pytest.raises(ContinuationValidationError):
                jobs.desk.register_schema(schema, validate)

    running(project, work)


def test_a_wait_ends_with_its_invocation_or_runtime(project: Path) -> None:
    """Who waits beyond the end is told instead of waiting for ever."""

    async def main() -> None:
        runtime = open_runtime(project)
        async with runtime:
            loaded: Any = runtime.running.active.loaded
            jobs = loaded["jobs"].extension
            async with runtime.invocation(agent_name="assistant"):
                side = jobs.context.continuations
                waiting = await jobs.suspend()
                task = asyncio.create_task(waiting.result())
                await asyncio.sleep(0)
            with pytest.raises(ExternalContinuationUnavailableError):
                side.preflight()
            with pytest.raises(ContinuationError, match="ended"):
                await task
            desk = jobs.desk
        with pytest.raises(ContinuationError, match="closed"):
            await desk.list_pending()

    asyncio.run(main())


def test_a_durable_call_makes_one_key() -> None:
    """Equal arguments in a replay of the call give the same key, other ones another."""
    given: dict[str, Any] = {
        "application_id": "demo",
        "user_id": None,
        "session_id": "s",
        "run_id": "r",
        "provider": "jobs",
        "capability": "jobs.run",
    }
    assert current_native_durable_call() is None
    with native_durable_call("call-1") as call:
        assert current_native_durable_call() is call
        key = call.submission_key(**given)
        assert len(key) == 64
        assert call.submission_key(**given) == key
        assert call.submission_key(**given | {"user_id": ""}) != key
    assert current_native_durable_call() is None
    with native_durable_call("call-2") as other:
        assert other.submission_key(**given) != key
    with pytest.raises(ValueError, match="call_id"), native_durable_call(" "):
        pass


@pytest.mark.parametrize("pause", [0, 0.05, 0.3])
def test_a_wait_in_another_loop_is_woken(project: Path, pause: float) -> None:
    """The extension lives in one loop, the agent in another, whenever the result comes.

    The agent's loop checks that no foreign thread touches it.
    """
    with open_runtime(project) as runtime, runtime.invocation(agent_name="assistant"):
        loaded: Any = runtime.running.active.loaded
        jobs = loaded["jobs"].extension

        async def agent() -> Any:
            return await asyncio.wait_for((await jobs.suspend()).result(), LONG)

        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(copy_context().run, asyncio.run, agent(), debug=True)
            until(lambda: asyncio.run(jobs.desk.list_pending()))
            time.sleep(pause)  # the moment of the result is what is varied
            asyncio.run(jobs.desk.complete("job-1", {"answer": 42}))
            assert waiting.result(LONG) == {"answer": 42}
