"""The tools in LangChain's and ADK's own agent loops."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution.tools import TOOL_NAMES, WorkspaceTools
from tests.fakes.shell_backend import ShellBackend

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.frameworks


@pytest.fixture
def tools(tmp_path: Path) -> WorkspaceTools:
    """Return tools on files of the host."""
    (tmp_path / "f").write_text("one\n")
    return WorkspaceTools(ShellBackend(directory=tmp_path))


def chain(tools: WorkspaceTools) -> dict[str, Any]:
    """Return LangChain's tools by name."""
    from harnest.execution.adapters.langchain import langchain_tools  # noqa: PLC0415 - needs it

    return {tool.name: tool for tool in langchain_tools(tools)}


def adk(tools: WorkspaceTools) -> dict[str, Any]:
    """Return ADK's tools by name."""
    from harnest.execution.adapters.adk import adk_tools  # noqa: PLC0415 - needs it

    return {tool.name: tool for tool in adk_tools(tools)}


def test_langchain_shows_a_model_the_same_tools(tools: WorkspaceTools) -> None:
    """Names, descriptions and schemas are those of the tools."""
    pytest.importorskip("langchain_core")
    from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: PLC0415

    adapted = chain(tools)
    assert tuple(adapted) == TOOL_NAMES
    for tool in tools:
        shown = convert_to_openai_tool(adapted[tool.name])["function"]
        assert shown["name"] == tool.name
        assert shown["description"] == tool.description
        assert shown["parameters"]["properties"] == tool.schema["properties"]
        assert shown["parameters"]["required"] == tool.schema["required"]


def test_langchain_calls_them_both_ways(tools: WorkspaceTools) -> None:
    """Invoke and ainvoke give the text of the tool, also where a loop runs already."""
    pytest.importorskip("langchain_core")
    read = chain(tools)["read_file"]

    async def within() -> list[str]:
        return [read.invoke({"path": "f"}), await read.ainvoke({"path": "f"})]

    assert read.invoke({"path": "f"}) == "     1\tone"
    assert asyncio.run(within()) == ["     1\tone"] * 2


def test_langchain_gets_failures_as_messages(tools: WorkspaceTools) -> None:
    """What went wrong is a tool message of status error: kind and reason, no trace."""
    pytest.importorskip("langchain_core")
    call = {"name": "read_file", "args": {"path": "no"}, "id": "1", "type": "tool_call"}
    message = chain(tools)["read_file"].invoke(call)
    assert message.status == "error"
    assert message.content == "Error (not-found): no does not exist"
    call = {"name": "bash", "args": {"cmd": "ls"}, "id": "1", "type": "tool_call"}
    message = asyncio.run(chain(tools)["bash"].ainvoke(call))
    assert message.status == "error"
    assert message.content == (
        "Error (invalid-argument): there is no argument 'cmd'; there are command, timeout"
    )


def test_langgraph_runs_a_loop_on_them(tools: WorkspaceTools, tmp_path: Path) -> None:
    """A model edits a file by a tool in LangGraph's own loop and reads what came of it."""
    pytest.importorskip("langgraph")
    from tests.fakes.scripted_langchain import agent_graph, ask, tool_call  # noqa: PLC0415

    edit = chain(tools)["edit_file"]
    call = tool_call("edit_file", path="f", old_string="one", new_string="two")
    state = agent_graph(edit, call, "done").invoke(ask("change it"))
    assert [message.content for message in state["messages"]][-2:] == [
        "Edited f: 1 replacement, at line 1",
        "done",
    ]
    assert (tmp_path / "f").read_text() == "two\n"


def test_adk_shows_a_model_the_same_tools(tools: WorkspaceTools) -> None:
    """Names, descriptions and schemas are those of the tools."""
    pytest.importorskip("google.adk")
    adapted = adk(tools)
    assert tuple(adapted) == TOOL_NAMES
    for tool in tools:
        declared = adapted[tool.name]._get_declaration()
        assert declared.name == tool.name
        assert declared.description == tool.description
        assert declared.parameters_json_schema == tool.schema


def test_adk_runs_a_loop_on_them(tools: WorkspaceTools) -> None:
    """A model calls a tool twice in ADK's own loop: one answer is a result, one an error."""
    pytest.importorskip("google.adk")
    from google.adk.agents import LlmAgent  # noqa: PLC0415
    from google.adk.models import BaseLlm, LlmResponse  # noqa: PLC0415
    from google.adk.runners import InMemoryRunner  # noqa: PLC0415
    from google.genai import types  # noqa: PLC0415

    class Calling(BaseLlm):
        """Calls the tool for one path after the other, then ends."""

        model: str = "calling"
        paths: list[str] = ["f", "no"]  # noqa: RUF012 - a field of pydantic's

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            part = types.Part(text="done")
            if self.paths:
                path = self.paths.pop(0)
                call = types.FunctionCall(name="read_file", args={"path": path})
                part = types.Part(function_call=call)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    agent = LlmAgent(name="reader", model=Calling(), tools=list(adk(tools).values()))

    async def run() -> list[Any]:
        runner = InMemoryRunner(agent=agent, app_name="app")
        await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
        message = types.Content(role="user", parts=[types.Part(text="read")])
        return [
            response.response
            async for event in runner.run_async(user_id="u", session_id="s", new_message=message)
            for response in event.get_function_responses()
        ]

    assert asyncio.run(run()) == [
        {"result": "     1\tone"},
        {"error": "Error (not-found): no does not exist", "kind": "not-found"},
    ]
