"""The audit record around a change."""

from __future__ import annotations

import asyncio
import logging

import pytest

from harnest.extensions import extension_mutation


async def _mutate(error: BaseException | None = None, **given: object) -> None:
    values = {"extension_name": "rag", "operation": "run.create", "trigger": "agent"} | given
    async with extension_mutation(
        values["extension_name"],  # type: ignore[arg-type]
        values["operation"],  # type: ignore[arg-type]
        trigger=values["trigger"],  # type: ignore[arg-type]
    ):
        if error is not None:
            raise error


def test_a_finished_change_is_recorded_as_committed(caplog: pytest.LogCaptureFixture) -> None:
    """One record says what was changed, by whom and that it was."""
    with caplog.at_level(logging.INFO, "extension.audit"):
        asyncio.run(_mutate())
    [record] = [r for r in caplog.records if r.name == "extension.audit"]
    shown = {k: vars(record)[k] for k in ("event", "operation", "trigger", "extension", "outcome")}
    assert shown == {
        "event": "extension.mutation",
        "operation": "run.create",
        "trigger": "agent",
        "extension": "rag",
        "outcome": "committed",
    }


@pytest.mark.parametrize("error", [ValueError("hunter2"), asyncio.CancelledError(), SystemExit(3)])
def test_a_change_that_raises_is_recorded_as_failed(
    caplog: pytest.LogCaptureFixture, error: BaseException
) -> None:
    """Whatever the body raises goes on, and the record has nothing of its text."""
    with caplog.at_level(logging.INFO, "extension.audit"), pytest.raises(type(error)):
        asyncio.run(_mutate(error, trigger="user"))
    [record] = [r for r in caplog.records if r.name == "extension.audit"]
    assert (record.__dict__["outcome"], record.exc_info) == ("failed", None)
    assert "hunter2" not in str(vars(record))


@pytest.mark.parametrize(
    "given",
    [
        {"operation": "Run"},
        {"operation": ""},
        {"operation": "a" * 65},
        {"operation": "a b"},
        {"operation": "a\n"},
        {"operation": None},
        {"trigger": "system"},
        {"trigger": None},
        {"extension_name": " "},
        {"extension_name": None},
    ],
)
def test_arguments_of_another_form_are_refused(given: dict[str, object]) -> None:
    """Names and triggers outside of the documented form are ValueErrors."""
    with pytest.raises(ValueError, match="must"):
        asyncio.run(_mutate(**given))


def test_the_longest_operation_is_taken() -> None:
    """64 characters are the most."""
    asyncio.run(_mutate(operation="a" * 64))
