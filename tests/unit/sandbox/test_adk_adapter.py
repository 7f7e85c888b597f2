"""The ADK adapter in google-adk's real agent loop, with a scripted model."""

from __future__ import annotations

import asyncio
import copy
import gc
import threading
from typing import Any

import pytest

from harnest.sandbox import (
    SandboxCancelledError,
    SandboxContext,
    SandboxExecutionError,
    SandboxFile,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxRequest,
    SandboxResult,
    control,
)
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from tests.fakes.provider import ScriptedProvider, declare, until_stopped
from tests.support.waiting import LONG

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
pytest.importorskip("google.adk", reason="google-adk is not installed")

from google.adk.agents import LlmAgent  # noqa: E402 - behind the skip
from google.adk.code_executors import BaseCodeExecutor  # noqa: E402 - behind the skip
from google.adk.code_executors.code_execution_utils import (  # noqa: E402 - behind the skip
    CodeExecutionInput,
    CodeExecutionResult,
    File,
)
from google.adk.runners import InMemoryRunner  # noqa: E402 - behind the skip
from google.genai import types  # noqa: E402 - behind the skip

from tests.fakes.scripted_adk import ScriptedModel, said  # noqa: E402 - behind the skip

ASK = "I compute.\n```python\nprint(40 * 10)\n```"


class Conversation:
    """One agent with a scripted model and an executor, asked once."""

    def __init__(self, executor: BaseCodeExecutor, *script: str) -> None:
        self.model = ScriptedModel(*script)
        agent = LlmAgent(name="assistant", model=self.model, code_executor=executor)
        self.runner = InMemoryRunner(agent=agent, app_name="app")
        self.events: list[Any] = []

    async def ask(self) -> str:
        """Ask, run the loop to its end, and return what the agent said."""
        sessions = self.runner.session_service
        await sessions.create_session(app_name="app", user_id="ada", session_id="s1")
        message = types.Content(role="user", parts=[types.Part(text="What is 40 * 10?")])
        async for event in self.runner.run_async(
            user_id="ada", session_id="s1", new_message=message
        ):
            self.events.append(event)
        return said(event.content for event in self.events if event.content)


def converse(provider: object, *script: str, **options: Any) -> tuple[Conversation, str]:
    """Run a whole conversation over a provider and return it with everything that was said."""
    executor = declare(provider, **options).to_adk_executor()
    conversation = Conversation(executor, *script)
    return conversation, asyncio.run(conversation.ask())


def test_the_model_asks_for_code_and_the_answer_comes_back() -> None:
    """The sandbox runs the block, and the model's next turn knows its output."""
    provider = ScriptedProvider(lambda _: SandboxResult("400\n"))
    conversation, text = converse(provider, ASK, "It is 400.", timeout_seconds=9)
    assert [request.code for request in provider.requests] == ["print(40 * 10)"]
    assert provider.requests[0].timeout_seconds == 9
    assert "400" in conversation.model.saw()
    assert text.endswith("It is 400.")


def test_an_empty_block_is_told_to_the_model() -> None:
    """Nothing is run, and the agent's run goes on."""
    provider = ScriptedProvider()
    conversation, text = converse(provider, "I try.\n```python\n  \n```", "I write it anew.")
    assert provider.requests == []
    assert "harnest: status failed, exit code none, reason the code is blank" in (
        conversation.model.saw()
    )
    assert text.endswith("I write it anew.")


def test_outside_an_invocation_the_identity_is_adks() -> None:
    """Agent, user, session and invocation come from ADK's context."""
    provider = ScriptedProvider(lambda _: SandboxResult("x"))
    conversation, _ = converse(provider, ASK, "Done.")
    invocation = conversation.events[0].invocation_id
    assert provider.requests[0].context == SandboxContext("assistant", invocation, "ada", "s1")


def test_inside_an_invocation_its_identity_counts() -> None:
    """What ADK says about itself can't replace the runtime's identity."""
    provider = ScriptedProvider(lambda _: SandboxResult("x"))
    mine = SandboxContext("mine", "i", "u", "s")
    with acting_as(ExecutionAuthority(context=mine, revoked=lambda: False)):
        converse(provider, ASK, "Done.")
    assert provider.requests[0].context is mine


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (
            SandboxResult("partial", "Traceback\nKeyError", status="failed", exit_code=1),
            "harnest: status failed, exit code 1",
        ),
        (
            SandboxResult(status="failed", exit_code=137, metadata={"reason": "out_of_memory"}),
            "harnest: status failed, exit code 137, reason out_of_memory",
        ),
        (
            SandboxResult("x" * 10, status="output_limit_exceeded"),
            "harnest: status output_limit_exceeded, exit code none",
        ),
        (
            SandboxResult(status="timed_out"),
            "harnest: status timed_out, exit code none, phase execution",
        ),
        (
            SandboxResult(status="failed", exit_code=2, metadata={"reason": "x\ny", "phase": 3}),
            "harnest: status failed, exit code 2",
        ),
    ],
)
def test_a_run_that_did_not_succeed_is_visible_to_the_model(
    result: SandboxResult, line: str
) -> None:
    """ADK reports a failed outcome whose text ends with status and exit code on one line."""
    conversation, _ = converse(ScriptedProvider(lambda _: result), ASK, "It failed.")
    outcomes = [
        part.code_execution_result
        for event in conversation.events
        for part in (event.content.parts if event.content else [])
        if part.code_execution_result
    ]
    assert [outcome.outcome for outcome in outcomes] == [types.Outcome.OUTCOME_FAILED]
    assert outcomes[0].output.splitlines()[-1] == line
    assert outcomes[0].output.startswith(result.stderr)
    assert line in conversation.model.saw()


def test_text_on_stderr_alone_is_no_failure() -> None:
    """ADK takes any stderr for a failure, so a succeeded run's is shown below its output."""
    result = SandboxResult("42", "warning: old\n")
    conversation, _ = converse(ScriptedProvider(lambda _: result), ASK, "Fine.")
    assert "OUTCOME_OK" in str([event.content for event in conversation.events])
    assert "42\nstderr:\nwarning: old" in conversation.model.saw()


def test_output_files_become_artifacts() -> None:
    """Files of a run are stored by ADK's artifact service byte for byte, and named to the model."""
    files = (SandboxFile("plot.bin", b"\x00\xff", "application/octet-stream"),)
    conversation, _ = converse(
        ScriptedProvider(lambda _: SandboxResult("ok", output_files=files)), ASK, "See plot."
    )

    async def load() -> Any:
        return await conversation.runner.artifact_service.load_artifact(
            app_name="app", user_id="ada", session_id="s1", filename="plot.bin"
        )

    assert asyncio.run(load()).inline_data.data == b"\x00\xff"
    assert "plot.bin" in conversation.model.saw()


def test_input_files_reach_the_provider() -> None:
    """Bytes and base64 text of ADK's files arrive as the same data."""
    provider = ScriptedProvider(lambda _: SandboxResult())
    executor = declare(provider).to_adk_executor()
    files = [File("a.csv", b"1,2", "text/csv"), File("b.csv", "MSwy", "text/csv")]
    executor.execute_code(None, CodeExecutionInput("x", files, "session-1"))
    (request,) = provider.requests
    assert [(file.name, file.data) for file in request.input_files] == [
        ("a.csv", b"1,2"),
        ("b.csv", b"1,2"),
    ]
    assert request.execution_id == "session-1"
    assert request.context == SandboxContext()


def test_adapter_options_become_fields_of_the_executor() -> None:
    """Delimiters and retries are ADK's own; a name that ADK doesn't know is refused."""
    executor = declare(
        ScriptedProvider(),
        adapter_options={
            "error_retry_attempts": 5,
            "code_block_delimiters": [("<run>\n", "\n</run>")],
            "execution_result_delimiters": ["<out>\n", "\n</out>"],
        },
    ).to_adk_executor()
    assert isinstance(executor, BaseCodeExecutor)
    assert executor.error_retry_attempts == 5
    assert executor.code_block_delimiters == [("<run>\n", "\n</run>")]
    assert executor.execution_result_delimiters == ("<out>\n", "\n</out>")
    with pytest.raises(ValueError, match="adapter_options must be among"):
        declare(ScriptedProvider(), adapter_options={"retries": 5}).to_adk_executor()


def test_a_providers_failure_is_the_agents_error_without_its_message() -> None:
    """A broken sandbox is no result of the program: the loop gets the hidden error."""

    def script(_: SandboxRequest) -> SandboxResult:
        raise OSError("hunter2")

    with pytest.raises(SandboxExecutionError, match="OSError") as caught:
        converse(ScriptedProvider(script), ASK, "unreached")
    assert "hunter2" not in str(caught.value)


class NativeExecutor(BaseCodeExecutor):
    """An executor written for ADK itself."""

    def execute_code(
        self, invocation_context: Any, code_execution_input: CodeExecutionInput
    ) -> CodeExecutionResult:
        """Echo the code."""
        return CodeExecutionResult(stdout=f"native {code_execution_input.code}")


def test_an_executor_of_adks_own_passes_through() -> None:
    """A factory that makes one serves ADK as it is, and nothing else."""
    native = NativeExecutor()
    sandbox = declare(native)
    assert sandbox.to_adk_executor() is native
    _, text = converse(native, ASK, "Done.")
    assert "native print(40 * 10)" in text
    with pytest.raises(SandboxPolicyUnsupportedError):
        declare(native, network_policy=SandboxNetworkPolicy.none()).to_adk_executor()
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    with pytest.raises(TypeError, match="ADK only"):
        sandbox.to_langchain_tool()


def test_cancelling_the_agents_task_cancels_the_execution() -> None:
    """Inside a control scope or an invocation, the executor's thread stops with the task."""
    started = threading.Event()
    errors: list[BaseException] = []

    def script(_: SandboxRequest) -> SandboxResult:
        try:
            return until_stopped(started)
        except BaseException as error:
            errors.append(error)
            raise

    async def turn(conversation: Conversation) -> str:
        with control.execute(None):
            return await conversation.ask()

    async def main() -> None:
        executor = declare(ScriptedProvider(script)).to_adk_executor()
        task = asyncio.create_task(turn(Conversation(executor, ASK)))
        assert await asyncio.to_thread(started.wait, LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())  # joins the executor's thread: it has stopped by itself
    assert isinstance(errors.pop(), SandboxCancelledError)
    assert errors == []


def test_the_provider_is_closed_with_the_executor() -> None:
    """By hand, or when nobody holds the executor any more."""
    by_hand, forgotten = ScriptedProvider(), ScriptedProvider()
    executor = declare(by_hand).to_adk_executor()
    executor.close()
    executor.close()
    declare(forgotten).to_adk_executor()
    assert (by_hand.closed, forgotten.closed) == (1, 1)


def test_copies_share_the_provider_until_the_last_one_is_gone() -> None:
    """A framework may copy what it was given, and drop the original."""
    provider = ScriptedProvider(lambda _: SandboxResult("x"))
    first: Any = declare(provider).to_adk_executor()
    copies = [first.model_copy(), copy.deepcopy(first)]
    del first
    gc.collect()
    assert provider.closed == 0
    while copies:
        copied = copies.pop()
        assert copied.execute_code(None, CodeExecutionInput(code="pass")).stdout == "x"
        del copied
        gc.collect()
    assert provider.closed == 1
