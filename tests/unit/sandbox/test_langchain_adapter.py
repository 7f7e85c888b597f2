"""The LangChain adapter in LangGraph's real tool loop, with a scripted model."""

from __future__ import annotations

import asyncio
import base64
import copy
import gc
import json
import threading
from typing import Any

import pytest

from harnest.sandbox import (
    SandboxContext,
    SandboxExecutionError,
    SandboxFile,
    SandboxRequest,
    SandboxResult,
)
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from tests.fakes.provider import ScriptedProvider, declare, until_stopped
from tests.support.waiting import LONG

pytestmark = pytest.mark.frameworks
pytest.importorskip("langchain_core", reason="langchain-core is not installed")
pytest.importorskip("langgraph", reason="langgraph is not installed")

from langchain_core.tools import StructuredTool, ToolException  # noqa: E402 - behind the skip
from langchain_core.utils.function_calling import (  # noqa: E402 - behind the skip
    convert_to_openai_tool,
)
from pydantic import ValidationError  # noqa: E402 - behind the skip

from tests.fakes.scripted_langchain import (  # noqa: E402 - behind the skip
    agent_graph,
    ask,
    tool_call,
)

CALL = tool_call("harnest_execute_python", code="print(40 * 10)")


def run(tool: StructuredTool, *script: Any) -> list[Any]:
    """Run the graph to its end and return its messages."""
    return list(agent_graph(tool, *script).invoke(ask("What is 40 * 10?"))["messages"])


def test_the_model_asks_for_code_and_the_answer_comes_back() -> None:
    """The tool node runs the sandbox, and its answer is the whole outcome."""
    provider = ScriptedProvider(lambda _: SandboxResult("400\n"))
    messages = run(declare(provider, timeout_seconds=9).to_langchain_tool(), CALL, "It is 400.")
    assert [request.code for request in provider.requests] == ["print(40 * 10)"]
    assert provider.requests[0].timeout_seconds == 9
    assert messages[-1].content == "It is 400."
    assert json.loads(messages[-2].content) == {
        "stdout": "400\n",
        "stderr": "",
        "status": "succeeded",
        "exit_code": None,
        "metadata": {},
        "output_files": [],
    }


def test_the_asynchronous_loop_gives_the_same() -> None:
    """``ainvoke`` takes the tool's own coroutine."""
    provider = ScriptedProvider(lambda _: SandboxResult("400\n"))
    graph = agent_graph(declare(provider).to_langchain_tool(), CALL, "It is 400.")
    messages = asyncio.run(graph.ainvoke(ask("What is 40 * 10?")))["messages"]
    assert json.loads(messages[-2].content)["stdout"] == "400\n"
    assert messages[-1].content == "It is 400."


@pytest.mark.parametrize(
    "result",
    [
        SandboxResult("part", "Traceback", status="failed", exit_code=7, metadata={"a": [1]}),
        SandboxResult("part", status="timed_out", metadata={"phase": "execution"}),
        SandboxResult("part", status="output_limit_exceeded", metadata={"reason": "output_limit"}),
    ],
)
def test_a_run_that_did_not_succeed_is_visible_to_the_model(result: SandboxResult) -> None:
    """Status, exit code, partial output and facts are in the tool's answer."""
    tool = declare(ScriptedProvider(lambda _: result)).to_langchain_tool()
    answer = json.loads(run(tool, CALL, "It failed.")[-2].content)
    assert answer["status"] == result.status.value
    assert answer["exit_code"] == result.exit_code
    assert (answer["stdout"], answer["stderr"]) == (result.stdout, result.stderr)
    assert answer["metadata"] == {"a": [1]} or answer["metadata"] == dict(result.metadata)


def test_output_files_come_as_base64() -> None:
    """Whatever form the provider gave, the answer is JSON."""
    files = (
        SandboxFile("a.bin", b"\x00\xff", "application/octet-stream"),
        SandboxFile("b", "AP8="),
    )
    tool = declare(ScriptedProvider(lambda _: SandboxResult(output_files=files)))
    answer = tool.to_langchain_tool().invoke({"code": "x"})
    assert [(f["name"], base64.b64decode(f["content"])) for f in answer["output_files"]] == [
        ("a.bin", b"\x00\xff"),
        ("b", b"\x00\xff"),
    ]
    assert answer["output_files"][0]["mime_type"] == "application/octet-stream"


def test_the_schema_is_strict() -> None:
    """One text named code, nothing else; a wrong call is told to the model, not run."""
    provider = ScriptedProvider()
    tool = declare(provider).to_langchain_tool()
    assert isinstance(tool, StructuredTool)
    assert tool.name == "harnest_execute_python"
    shown = convert_to_openai_tool(tool)["function"]
    assert shown["name"] == "harnest_execute_python"
    schema = shown["parameters"]
    assert list(schema["properties"]) == schema["required"] == ["code"]
    assert schema["properties"]["code"]["type"] == "string"
    assert schema["additionalProperties"] is False
    for wrong in ({}, {"code": " "}, {"code": 3}, {"code": "x", "timeout": 1}):
        with pytest.raises((ValidationError, ToolException)):
            tool.invoke(wrong)
    messages = run(tool, tool_call("harnest_execute_python", code="x", network=True), "Sorry.")
    assert messages[-2].status == "error"
    assert provider.requests == []


def test_the_identity_is_the_invocations() -> None:
    """The active invocation's identity reaches the provider through LangGraph's own threads."""
    provider = ScriptedProvider()
    tool = declare(provider).to_langchain_tool()
    mine = SandboxContext("mine", "i", "u", "s")
    with acting_as(ExecutionAuthority(context=mine, revoked=lambda: False)):
        run(tool, CALL, "Done.")
    tool.invoke({"code": "x"})
    assert [request.context for request in provider.requests] == [mine, SandboxContext()]


def test_a_providers_failure_is_the_agents_error_without_its_message() -> None:
    """A broken sandbox is no result of the program: the loop gets the hidden error."""

    def script(_: SandboxRequest) -> SandboxResult:
        raise OSError("hunter2")

    tool = declare(ScriptedProvider(script)).to_langchain_tool()
    with pytest.raises(SandboxExecutionError, match="OSError") as caught:
        run(tool, CALL)
    assert "hunter2" not in str(caught.value)


def test_cancelling_the_task_cancels_the_execution() -> None:
    """A cancelled run of the graph ends after the provider has let go."""
    started, released = threading.Event(), threading.Event()

    def script(_: SandboxRequest) -> SandboxResult:
        try:
            return until_stopped(started)
        finally:
            released.set()

    async def main() -> None:
        graph = agent_graph(declare(ScriptedProvider(script)).to_langchain_tool(), CALL)
        task = asyncio.create_task(graph.ainvoke(ask("Go.")))
        assert await asyncio.to_thread(started.wait, LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert released.is_set()

    asyncio.run(main())


def test_the_provider_is_closed_with_the_tool() -> None:
    """By hand, or when nobody holds the tool any more."""
    by_hand, forgotten = ScriptedProvider(), ScriptedProvider()
    tool = declare(by_hand).to_langchain_tool()
    tool.invoke({"code": "x"})
    tool.close()
    declare(forgotten).to_langchain_tool().invoke({"code": "x"})
    gc.collect()
    assert (by_hand.closed, forgotten.closed) == (1, 1)


def test_copies_share_the_provider_until_the_last_one_is_gone() -> None:
    """A framework may copy what it was given, and drop the original."""
    provider = ScriptedProvider(lambda _: SandboxResult("x"))
    first: Any = declare(provider).to_langchain_tool()
    copies = [first.model_copy(), copy.deepcopy(first)]
    del first
    gc.collect()
    assert provider.closed == 0
    while copies:
        copied = copies.pop()
        assert copied.invoke({"code": "pass"})["stdout"] == "x"
        del copied
        gc.collect()
    assert provider.closed == 1
