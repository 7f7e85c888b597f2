"""An agent on google-adk: the Python blocks that its model writes run in this project's sandbox."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.genai import types
from sandbox.python import python
from scripted_model import ScriptedModel

from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from google.adk.events import Event
    from google.adk.models import BaseLlm

PROJECT = Path(__file__).resolve().parent
APP, USER = "adk_agent", "ada"
INSTRUCTION = "Answer by writing one Python block that prints the result, then state the result."
QUESTIONS = ("What is 40 * 10?", "And what is 1 / 0?")


def build_agent(model: BaseLlm | str) -> LlmAgent:
    """Return the agent; nothing runs until its model writes code."""
    return LlmAgent(
        name="assistant",
        model=model,
        instruction=INSTRUCTION,
        code_executor=python.to_adk_executor(),
    )


def show(event: Event) -> None:
    """Print what was said, run and answered."""
    for part in event.content.parts or [] if event.content else []:
        if part.code_execution_result:
            print(f"[sandbox] {(part.code_execution_result.output or '').strip()}")
        elif part.executable_code:
            print(f"[code] {(part.executable_code.code or '').strip()}")
        elif part.text:
            print(f"[{event.author}] {part.text.strip()}")


async def converse(model: BaseLlm | str, questions: list[str]) -> None:
    """Ask the questions in one session, each in an invocation of its own."""
    runner = InMemoryRunner(agent=build_agent(model), app_name=APP)
    session = await runner.session_service.create_session(app_name=APP, user_id=USER)
    async with AgentRuntime(PROJECT, framework="adk") as runtime:
        for question in questions:
            print(f"[{USER}] {question}")
            message = types.Content(role="user", parts=[types.Part(text=question)])
            async with runtime.invocation(
                agent_name="assistant", user_id=USER, session_id=session.id
            ):
                async for event in runner.run_async(
                    user_id=USER, session_id=session.id, new_message=message
                ):
                    show(event)
    await runner.close()


def main() -> None:
    """Read the command line and talk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", nargs="*", help="what to ask; by default two sums")
    parser.add_argument("--model", help="a model that ADK knows, such as gemini-2.5-flash")
    options = parser.parse_args()
    asyncio.run(converse(options.model or ScriptedModel(), options.questions or list(QUESTIONS)))


if __name__ == "__main__":
    main()
