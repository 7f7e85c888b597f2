"""Every managed execution leaves one audit record without payload."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from harnest.sandbox import SandboxCancelledError, SandboxRequest, SandboxResult
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare

if TYPE_CHECKING:
    import logging


def raising(error: BaseException) -> Any:
    """Return a script that raises."""

    def script(_: SandboxRequest) -> SandboxResult:
        raise error

    return script


@pytest.mark.parametrize(
    ("script", "outcome", "status"),
    [
        (lambda _: SandboxResult("x"), "completed", "succeeded"),
        (lambda _: SandboxResult(status="failed", exit_code=3), "completed", "failed"),
        (
            lambda _: SandboxResult(status="output_limit_exceeded"),
            "completed",
            "output_limit_exceeded",
        ),
        (raising(TimeoutError()), "completed", "timed_out"),
        (raising(OSError()), "failed", "failed"),
        (raising(SandboxCancelledError()), "cancelled", "cancelled"),
        (raising(KeyboardInterrupt()), "cancelled", "cancelled"),
    ],
)
def test_a_record_tells_how_it_ended(
    script: Any, outcome: str, status: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Operation, trigger, provider, outcome, status and duration, and nothing of the run."""
    sandbox = ManagedSandbox(declare(ScriptedProvider(script), name="mine"))
    with caplog.at_level("INFO", "harnest.audit"):
        ends = contextlib.nullcontext() if outcome == "completed" else pytest.raises(BaseException)  # noqa: PT011 - how is told by the record
        with ends:
            sandbox.execute(sandbox.request("print('payload')"), trigger="user")
    (record,) = records(caplog)
    facts = vars(record)
    assert record.getMessage() == facts["event"] == "sandbox.execute"
    assert (facts["operation"], facts["trigger"], facts["provider"]) == ("execute", "user", "mine")
    assert (facts["outcome"], facts["status"]) == (outcome, status)
    assert isinstance(facts["duration_ms"], int)
    assert "payload" not in str(facts)


def test_each_way_to_execute_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """The operation tells how it was asked for; the trigger is an agent unless said otherwise."""
    sandbox = ManagedSandbox(declare(ScriptedProvider()))
    request = sandbox.request("x")
    with caplog.at_level("INFO", "harnest.audit"):
        sandbox.execute(request)
        sandbox.execute_streaming(request, lambda *_: None)
        asyncio.run(sandbox.aexecute(request))
        sandbox.close()
        with pytest.raises(RuntimeError):
            sandbox.execute(request)
    facts = [vars(record) for record in records(caplog)]
    assert [f["operation"] for f in facts] == [
        "execute",
        "execute_streaming",
        "aexecute",
        "execute",
    ]
    assert {f["trigger"] for f in facts} == {"agent"}
    assert facts[-1]["outcome"] == "failed"


def test_the_trigger_is_one_of_two() -> None:
    """Another one is a ValueError, and nothing runs."""
    provider = ScriptedProvider()
    sandbox = ManagedSandbox(declare(provider))
    with pytest.raises(ValueError, match="trigger"):
        sandbox.execute(sandbox.request("x"), trigger="cron")
    assert provider.requests == []


def records(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Return the audit records."""
    return [record for record in caplog.records if record.name == "harnest.audit"]
