"""Which backend tools are bound to, and who ends it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from harnest.execution.errors import BackendError
from harnest.execution.hooks import HookManager
from harnest.execution.tools import TOOL_NAMES, WorkspaceTools
from harnest.sandbox.errors import SandboxCancelledError
from tests.fakes.shell_backend import OwnedShellBackend, ShellBackend

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution.result import ExecutionResult


class FailingBackend(ShellBackend):
    """A backend whose commands all end in one error."""

    error: BaseException

    async def execute_command(
        self,
        command: str,
        *,
        timeout: int | None = None,  # noqa: ASYNC109 - the port's own name
        stdin: bytes | None = None,
    ) -> ExecutionResult:
        """Fail."""
        raise self.error


def test_all_tools_are_there_by_name(tmp_path: Path) -> None:
    """The nine tools can be listed, looked up and chosen from."""
    tools = WorkspaceTools(ShellBackend(directory=tmp_path))
    assert tools.names == TOOL_NAMES == tuple(tool.name for tool in tools)
    assert len(tools) == 9
    assert all(tool.backend is tools.backend for tool in tools)
    some = WorkspaceTools(tools.backend, names=["glob", "bash"])
    assert some.names == ("bash", "glob")
    assert "grep" not in some
    with pytest.raises(ValueError, match="there is no tool 'rm'; there are bash, read_file"):
        WorkspaceTools(tools.backend, names=["rm"])
    with pytest.raises(ValueError, match="twice"):
        WorkspaceTools(tools.backend, names=["bash", "bash"])
    with pytest.raises(TypeError, match="not one text"):
        WorkspaceTools(tools.backend, names="bash")
    with pytest.raises(TypeError, match="object is no ExecutionBackend"):
        WorkspaceTools(object())
    with pytest.raises(TypeError, match="hooks must be a HookManager"):
        WorkspaceTools(tools.backend, hooks=print)  # type: ignore[arg-type]


def test_tools_of_one_backend_refuse_another(tmp_path: Path) -> None:
    """The refusal names both backends; the own one is taken."""
    own, other = ShellBackend(directory=tmp_path), ShellBackend(directory=tmp_path, tier="other")
    tools = WorkspaceTools(own)
    assert tools.bind(own) is tools
    with pytest.raises(ValueError, match="bound to the ShellBackend of tier 'subprocess'") as said:
        tools.bind(other)
    assert f"{id(own):#x}" in str(said.value)
    assert f"the ShellBackend of tier 'other' at {id(other):#x}" in str(said.value)
    assert "ShellBackend of tier 'subprocess'" in repr(tools)


def test_hooks_are_set_where_there_are_none(tmp_path: Path) -> None:
    """A backend that reports to somebody already goes on doing so."""
    first, second = HookManager(), HookManager()
    backend = ShellBackend(directory=tmp_path)
    WorkspaceTools(backend)
    assert backend.hooks is None
    WorkspaceTools(backend, hooks=first)
    WorkspaceTools(backend, hooks=second)
    assert backend.hooks is first


def use(backend: ShellBackend, error: Exception | None = None) -> None:
    """Enter and leave tools of a backend."""

    async def run() -> None:
        async with WorkspaceTools(backend):
            if error is not None:
                raise error

    asyncio.run(run())


def test_an_owned_backend_is_started_synced_and_closed(tmp_path: Path) -> None:
    """Also when what happened in between failed."""
    backend = OwnedShellBackend(directory=tmp_path)
    use(backend)
    assert backend.happened == ["start", "sync", "close"]
    with pytest.raises(KeyError):
        use(backend, KeyError("x"))
    assert backend.happened == ["start", "sync", "close"] * 2


def test_a_backend_of_the_callers_is_left_alone(tmp_path: Path) -> None:
    """It is neither started nor closed."""
    backend = OwnedShellBackend(directory=tmp_path, agent_owned=False)
    use(backend)
    assert backend.happened == []


def test_a_backend_that_can_not_be_synced_is_kept(tmp_path: Path) -> None:
    """What is inside is not deleted, and where it is is told."""
    backend = OwnedShellBackend(directory=tmp_path, fails_to_sync=True)
    with pytest.raises(OSError, match="sandbox-7"):
        use(backend)
    assert backend.happened == ["start", "sync"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "the argument 'path' is missing"),
        ({"path": None}, "the argument 'path' is missing"),
        ({"path": 1}, "path must be a string, not int"),
        ({"path": "f", "offset": "1"}, "offset must be an integer, not str"),
        ({"path": "f", "offset": 0}, "offset must be at least 1, not 0"),
        ({"path": "f", "lines": 1}, "there is no argument 'lines'; there are limit, offset, path"),
        ({"path": "f", "self": 1}, "there is no argument 'self'; there are limit, offset, path"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], said: str, tmp_path: Path) -> None:
    """A model is told which argument is wrong and why."""
    tools = WorkspaceTools(ShellBackend(directory=tmp_path))
    answer = asyncio.run(tools.answer("read_file", arguments))
    assert answer.text == f"Error (invalid-argument): {said}"


def test_numbers_of_json_and_nulls_are_understood(tmp_path: Path) -> None:
    """5.0 is 5, and null is what is left out."""
    (tmp_path / "f").write_text("a\nb\n")
    tools = WorkspaceTools(ShellBackend(directory=tmp_path))
    answer = asyncio.run(tools.answer("read_file", {"path": "f", "offset": 2.0, "limit": None}))
    assert answer.text == "     2\tb"


def test_called_directly_a_tool_raises_built_in_exceptions(tmp_path: Path) -> None:
    """Code meets the exceptions that it knows, with text for people."""
    tools = WorkspaceTools(ShellBackend(directory=tmp_path))
    with pytest.raises(FileNotFoundError, match="no does not exist"):
        asyncio.run(tools["read_file"](path="no"))
    with pytest.raises(ValueError, match="missing"):
        asyncio.run(tools["read_file"]())


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BackendError("the daemon is gone"), "Error (backend-failed): the daemon is gone"),
        (LookupError("secret"), "Error (internal): bash failed with LookupError"),
    ],
)
def test_a_failing_backend_is_told_without_a_trace(
    error: Exception, text: str, tmp_path: Path
) -> None:
    """Its own errors come with their message, unforeseen ones by their type alone."""
    backend = FailingBackend(directory=tmp_path)
    backend.error = error
    assert asyncio.run(WorkspaceTools(backend).answer("bash", {"command": "ls"})).text == text


def test_the_end_of_an_invocation_is_no_text(tmp_path: Path) -> None:
    """When no model waits any more, the cancellation goes on to whoever called."""
    backend = FailingBackend(directory=tmp_path)
    backend.error = SandboxCancelledError("over")
    with pytest.raises(SandboxCancelledError):
        asyncio.run(WorkspaceTools(backend).answer("bash", {"command": "ls"}))


def test_an_unknown_tool_is_told(tmp_path: Path) -> None:
    """The model learns which tools there are."""
    tools = WorkspaceTools(ShellBackend(directory=tmp_path), names=["bash", "grep"])
    answer = asyncio.run(tools.answer("rm", {}))
    assert answer.text == "Error (unknown-tool): there is no tool 'rm'; there are bash, grep"


def test_schemas_are_complete_and_the_callers_own(tmp_path: Path) -> None:
    """Every argument is described, nothing else is taken, and a change stays with its caller."""
    for tool in WorkspaceTools(ShellBackend(directory=tmp_path)):
        schema = tool.schema
        assert schema["additionalProperties"] is False
        assert all(item["description"] for item in schema["properties"].values())
        assert set(schema["required"]) <= set(schema["properties"])
        assert tool.description
        schema["properties"].clear()
        assert tool.schema["properties"]
