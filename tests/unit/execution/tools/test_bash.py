"""What a model reads of a command, and which limit applies to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from harnest.execution.result import ExecutionResult
from harnest.execution.tools import WorkspaceTools
from harnest.execution.tools.bash import BashOutcome
from tests.fakes.shell_backend import ShellBackend
from tests.support.waiting import before_a_deadline

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def backend(tmp_path: Path) -> ShellBackend:
    """Return a backend in an empty folder."""
    return ShellBackend(directory=tmp_path, timeout_seconds=240)


def say(backend: ShellBackend, **arguments: object) -> str:
    """Return what a model is told about a command."""
    return asyncio.run(WorkspaceTools(backend).answer("bash", arguments)).text


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo out", "out"),
        ("printf 'a\\n\\nb'", "a\n\nb"),
        ("true", "(no output)"),
        ("exit 3", "(no output)\n[exit code 3]"),
        ("echo err >&2", "STDERR:\nerr"),
        ("echo out; echo err >&2; exit 1", "out\nSTDERR:\nerr\n[exit code 1]"),
        ("kill -9 $$", "(no output)\n[exit code 137]"),
        ("cat", "(no output)"),
        ("printf '\\377'", "\ufffd"),
        ("exit 124", "(no output)\n[exit code 124]"),
    ],
)
def test_a_command_is_told_by_its_output_and_its_end(
    command: str, text: str, backend: ShellBackend
) -> None:
    """Output, then error output, then one line about everything else that matters."""
    assert say(backend, command=command) == text


@pytest.mark.parametrize(
    ("limit", "asked", "line"),
    [
        (240, 2, "[timed out after 2 seconds]"),
        (1, None, "[timed out after 1 second]"),
        (2, 100, "[timed out after 2 seconds, the limit; 100 seconds were asked for]"),
    ],
)
def test_the_limit_caps_what_a_model_asks_for(
    limit: int, asked: int | None, line: str, tmp_path: Path
) -> None:
    """The time-out that applied is told, and that more was asked for."""
    backend = ShellBackend(directory=tmp_path, timeout_seconds=limit)
    said = say(backend, command="sleep 600", timeout=asked)
    assert said == f"(no output)\n{line}"


def test_what_a_late_command_wrote_is_kept(backend: ShellBackend) -> None:
    """It stands before the line about the time-out."""
    said = before_a_deadline(
        lambda seconds: say(
            backend, command="echo begun; touch begun; exec sleep 600", timeout=seconds
        ),
        reached=(backend.directory / "begun").exists,
    )
    assert said.startswith("begun\n[timed out after ")


def test_a_result_says_everything_that_was_lost_or_refused() -> None:
    """Memory, truncation and denials stand in the last line."""
    result = ExecutionResult(
        stdout="x\n",
        memory_exceeded=True,
        truncated=True,
        denials=("curl -> a.example:443", "two\nlines"),
    )
    assert BashOutcome(result=result).text == (
        "x\n[ended without an exit code; memory limit exceeded; output truncated; "
        "denied: curl -> a.example:443, two lines]"
    )


def test_the_description_names_shell_and_limit(backend: ShellBackend) -> None:
    """A model knows what runs its command, where, and for how long."""
    described = WorkspaceTools(backend)["bash"].description
    assert "`/bin/sh -c` in the work directory" in described
    assert "240 seconds" in described
    inside = ShellBackend(directory=backend.directory, owns_filesystem=True)
    described = WorkspaceTools(inside)["bash"].description
    assert f"in the directory {backend.directory}" in described


@pytest.mark.parametrize("timeout", [0, -1, 1.5, True, "1"])
def test_a_timeout_that_is_none_runs_nothing(timeout: object, backend: ShellBackend) -> None:
    """The command is not begun."""
    assert say(backend, command="touch f", timeout=timeout).startswith("Error (invalid-argument)")
    assert backend.commands == []


def test_code_gets_the_result_itself(backend: ShellBackend) -> None:
    """run() returns values: the backend's result and the time-out that applied."""
    outcome = asyncio.run(WorkspaceTools(backend)["bash"].run(command="echo x", timeout=1000))
    assert isinstance(outcome, BashOutcome)
    assert (outcome.result.stdout, outcome.applied, outcome.asked) == ("x\n", 240, 1000)
