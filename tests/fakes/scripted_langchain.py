"""A LangChain chat model that says what a test tells it, in LangGraph's own tool loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = ["agent_graph", "ask", "tool_call"]


class ScriptedModel(FakeMessagesListChatModel):
    """Answers with the next message of its script, whatever tools it is offered."""

    def bind_tools(self, tools: Any, **_: Any) -> ScriptedModel:  # type: ignore[override]
        """Take the tools that the script calls by name."""
        return self


def tool_call(name: str, **arguments: Any) -> AIMessage:
    """Return a message in which the model calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "call-1"}])


def ask(text: str) -> dict[str, Any]:
    """Return the state that a conversation begins with."""
    return {"messages": [HumanMessage(text)]}


def agent_graph(tool: BaseTool, *script: AIMessage | str) -> Any:
    """Return a compiled agent: model, tool node, and the edge back, as LangGraph documents it."""
    responses = [AIMessage(item) if isinstance(item, str) else item for item in script]
    model = ScriptedModel(responses=responses).bind_tools([tool])

    def call_model(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", call_model)
    graph.add_node("tools", ToolNode([tool]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()
