"""An agent's tools inside of a sandbox: the same answers as on the host."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution import HookEvent, HookManager, Workspace, WorkspaceConfig
from harnest.execution.tools import TOOL_NAMES, WorkspaceTools

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gateway.server import LocalGateway
    from harnest_extension_openshell.extension import OpenShellBackend

pytestmark = pytest.mark.docker

ODD = "-n 'a' \"b\" $(x)"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("write_file", {"path": "a.txt", "content": "one\ntwo\nthree\n"}),
    ("write_file", {"path": "deep/er/b.py", "content": "import os\nprint('é')\n"}),
    ("write_file", {"path": ODD, "content": "odd"}),
    ("read_file", {"path": "a.txt"}),
    ("read_file", {"path": ODD}),
    ("read_file", {"path": "absent"}),
    ("read_file", {"path": "deep"}),
    ("read_file", {"path": "../outside"}),
    ("read_file", {"path": "/etc/passwd"}),
    ("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "2"}),
    ("edit_file", {"path": "a.txt", "old_string": "e", "new_string": "E"}),
    ("edit_file", {"path": "a.txt", "old_string": "absent", "new_string": "x"}),
    ("read_file", {"path": "a.txt"}),
    ("generate_file", {"path": "a.txt", "content": "again"}),
    ("generate_file", {"path": "new.txt", "content": "made"}),
    ("list_directory", {"path": "."}),
    ("list_directory", {"path": "deep"}),
    ("glob", {"path": ".", "pattern": "**/*.py"}),
    ("glob", {"path": ".", "pattern": "*"}),
    ("grep", {"path": ".", "pattern": "o[dn]"}),
    ("grep", {"path": ".", "pattern": "nowhere"}),
    ("delete", {"path": ODD}),
    ("delete", {"path": "deep"}),
    ("delete", {"path": "deep", "recursive": True}),
    ("delete", {"path": "."}),
    ("list_directory", {"path": "."}),
)


async def answers(tools: WorkspaceTools) -> list[str]:
    """What a model is told of each call."""
    return [(await tools.answer(name, arguments)).text for name, arguments in CALLS]


def test_file_tools_answer_inside_as_they_do_on_the_host(
    backend: Callable[..., OpenShellBackend], project: Path, tmp_path: Path, gateway: LocalGateway
) -> None:
    """Every tool, with odd names and with what must fail; what was made comes back to the host."""
    host = tmp_path / "host"
    host.mkdir()

    async def main() -> tuple[list[str], list[str]]:
        config = WorkspaceConfig(tier="process", directory=host)
        async with Workspace(config) as workspace:
            wanted = await answers(WorkspaceTools(workspace))
        async with WorkspaceTools(backend(project=project)) as tools:
            return wanted, await answers(tools)

    wanted, found = asyncio.run(main())
    assert found == [text.replace(str(host), "/sandbox") for text in wanted]
    assert {call[0] for call in CALLS} == set(TOOL_NAMES) - {"bash"}
    for folder in (host, project):
        there = {item.name: item.read_text() for item in folder.iterdir()}
        assert there == {"a.txt": "one\n2\nthree\n", "new.txt": "made"}
    assert gateway.left() == ([], [], [])


def test_links_that_lead_out_are_refused_by_the_tools(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """A path whose text is inside and whose real place is not is refused inside of the sandbox."""

    async def main() -> None:
        async with WorkspaceTools(backend()) as tools:
            await tools["bash"](command="ln -s /etc etc; ln -s /etc/passwd file")
            for name, arguments in (
                ("read_file", {"path": "etc/passwd"}),
                ("read_file", {"path": "file"}),
                ("write_file", {"path": "etc/x", "content": "x"}),
            ):
                answer = await tools.answer(name, arguments)
                assert answer.kind, answer.text

    asyncio.run(main())


def test_tools_own_the_backend_that_they_are_bound_to(
    backend: Callable[..., OpenShellBackend], project: Path, gateway: LocalGateway
) -> None:
    """Entered they start it, left they bring its files back and delete it; hooks are bound."""
    seen: list[str] = []
    hooks = HookManager()
    hooks.on(HookEvent.SANDBOX_EXEC, lambda context: seen.append(context.data["kind"]))
    made = backend(project=project)

    async def main() -> str:
        tools = WorkspaceTools(made, hooks=hooks)
        async with tools:
            text = await tools["bash"](command="echo made >file; cat missing", timeout=999)
            with pytest.raises(ValueError, match="bound to"):
                tools.bind(backend())
        await tools.aclose()
        return text

    text = asyncio.run(main())
    assert "STDERR:" in text
    assert made.hooks is hooks
    assert seen[0] == "execute_command"
    assert (project / "file").read_text() == "made\n"
    assert gateway.left() == ([], [], [])
