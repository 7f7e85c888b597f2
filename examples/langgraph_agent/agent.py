"""An agent on LangGraph: its model calls a tool that runs Python in this project's sandbox."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from sandbox.python import python
from scripted_model import ScriptedModel

from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

PROJECT = Path(__file__).resolve().parent
USER, THREAD = "ada", "first"
QUESTIONS = ("What is 40 * 10?", "And what is 1 / 0?")


def build_agent(model: BaseChatModel) -> Any:
    """Return the compiled graph: the model, its tool, and the way back. Nothing runs yet."""
    tool = python.to_langchain_tool()
    thinking = model.bind_tools([tool])

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await thinking.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", think)
    graph.add_node("tools", ToolNode([tool]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=InMemorySaver())


async def converse(model: BaseChatModel, questions: list[str]) -> None:
    """Ask the questions in one thread, each in an invocation of its own."""
    agent = build_agent(model)
    async with AgentRuntime(PROJECT, framework="langgraph") as runtime:
        for question in questions:
            print(f"[{USER}] {question}")
            async with runtime.invocation(agent_name="assistant", user_id=USER, session_id=THREAD):
                async for update in agent.astream(
                    {"messages": [("user", question)]},
                    {"configurable": {"thread_id": THREAD}},
                    stream_mode="updates",
                ):
                    show(update)


def show(update: dict[str, Any]) -> None:
    """Print what a node of the graph added."""
    for node, added in update.items():
        for message in added["messages"]:
            if message.content:
                print(f"[{'sandbox' if node == 'tools' else 'assistant'}] {message.content}")
            for call in getattr(message, "tool_calls", []):
                print(f"[code] {call['args']['code']}")


def main() -> None:
    """Read the command line and talk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", nargs="*", help="what to ask; by default two sums")
    options = parser.parse_args()
    # A real model goes here: anything with LangChain's chat interface, such as ChatAnthropic(...).
    asyncio.run(converse(ScriptedModel(), options.questions or list(QUESTIONS)))


if __name__ == "__main__":
    main()
