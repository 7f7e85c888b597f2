"""Listeners are told of everything and change nothing."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, get_type_hints

import pytest

from harnest.execution import HookContext, HookEvent, HookManager, SandboxExecData

if TYPE_CHECKING:
    from collections.abc import Callable

EVENT = HookEvent.SANDBOX_EXEC
DATA = SandboxExecData(
    kind="execute",
    tier="fake",
    exit_code=0,
    timed_out=False,
    execution_time_ms=1,
    denials=(),
)


def emit(hooks: HookManager) -> None:
    """Emit one event in a loop of its own."""
    asyncio.run(hooks.emit(EVENT, DATA))


def test_the_event_has_six_facts() -> None:
    """No more and no less."""
    assert sorted(get_type_hints(SandboxExecData)) == [
        "denials",
        "execution_time_ms",
        "exit_code",
        "kind",
        "tier",
        "timed_out",
    ]


def test_functions_and_coroutine_functions_are_told_in_order() -> None:
    """Each gets the event; the text of it names it as well."""
    heard: list[str] = []
    hooks = HookManager()

    async def second(context: HookContext) -> None:
        await asyncio.sleep(0)
        heard.append(f"2 {context.event}")

    hooks.on("sandbox_exec", lambda context: heard.append(f"1 {context.data['tier']}"))
    hooks.on(EVENT, second)
    emit(hooks)
    assert heard == ["1 fake", "2 sandbox_exec"]


def test_no_listener_changes_what_another_is_told() -> None:
    """Each has a copy of its own."""
    heard: list[int | None] = []
    hooks = HookManager()
    hooks.on(EVENT, lambda context: context.data.update(exit_code=9))
    hooks.on(EVENT, lambda context: heard.append(context.data["exit_code"]))
    emit(hooks)
    assert heard == [0]


async def cancel_itself(_context: HookContext) -> None:
    """End by a cancellation of its own."""
    raise asyncio.CancelledError


async def fail_later(_context: HookContext) -> None:
    """Fail after a turn of the loop."""
    await asyncio.sleep(0)
    raise ValueError("secret")


def fail(_context: HookContext) -> None:
    """Fail at once."""
    raise ValueError("secret")


def fail_as_if_cancelled(_context: HookContext) -> None:
    """Fail with what ends tasks, which a plain function does not do."""
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("listener", "named"),
    [
        (fail, "ValueError"),
        (fail_later, "ValueError"),
        (cancel_itself, "CancelledError"),
        (fail_as_if_cancelled, "CancelledError"),
    ],
)
def test_a_failing_listener_is_logged_by_type_and_breaks_nothing(
    listener: Callable[[HookContext], Any], named: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are told all the same, and its own words go nowhere."""
    heard: list[HookContext] = []
    hooks = HookManager()
    hooks.on(EVENT, listener)
    hooks.on(EVENT, heard.append)
    with caplog.at_level(logging.WARNING):
        emit(hooks)
    [record] = [record for record in caplog.records if record.name.startswith("harnest")]
    assert record.getMessage() == f"listener of sandbox_exec failed with {named}"
    assert (record.__dict__["event"], record.__dict__["error"]) == ("sandbox_exec", named)
    assert len(heard) == 1
    assert "secret" not in caplog.text


def test_listeners_leave_one_by_one_or_all() -> None:
    """What `on` returned takes back that registration, `off` each of a listener."""
    heard: list[HookContext] = []
    hooks = HookManager()
    leave = hooks.on(EVENT, heard.append)
    listener = heard.append
    hooks.on(EVENT, listener)
    leave()
    leave()
    emit(hooks)
    assert len(heard) == 1
    hooks.on(EVENT, listener)
    hooks.off(EVENT, listener)
    hooks.off(EVENT, print)
    emit(hooks)
    assert len(heard) == 1


def test_what_is_no_listener_or_event_is_refused() -> None:
    """At registration, not at the first event."""
    hooks = HookManager()
    with pytest.raises(TypeError, match="callable"):
        hooks.on(EVENT, 3)  # type: ignore[arg-type]
    refusal = "event must be one of: sandbox_exec; not 'no_such'"
    with pytest.raises(ValueError, match=refusal):
        hooks.on("no_such", print)
    with pytest.raises(ValueError, match=refusal):
        hooks.off("no_such", print)
    with pytest.raises(ValueError, match=refusal):
        asyncio.run(hooks.emit("no_such", {}))  # type: ignore[typeddict-item]
