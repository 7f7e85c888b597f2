"""LangChain tools, for LangGraph's own tool loop, from the tools of a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from langchain_core.tools import StructuredTool, ToolException
except ImportError as error:
    raise ImportError(
        "harnest.execution.adapters.langchain needs langchain-core: install 'harnest[langchain]'"
    ) from error

from harnest.execution.adapters.blocking import answer_now

if TYPE_CHECKING:
    from harnest.execution.tools import Answer, Tool, WorkspaceTools

__all__ = ["langchain_tools"]


def langchain_tools(tools: WorkspaceTools) -> list[StructuredTool]:
    """Return a LangChain tool for each tool, sync and async.

    A model is shown the same name, description and JSON schema, and reads the same text. What a
    tool could not do arrives as a message of status ``error`` that holds its kind and its reason.

    Args:
        tools: The tools; open their backend first, so that descriptions name what applies.
    """
    return [_adapted(tool) for tool in tools]


def _adapted(tool: Tool) -> StructuredTool:
    def run(**arguments: Any) -> str:
        return _told(answer_now(tool, arguments))

    async def arun(**arguments: Any) -> str:
        return _told(await tool.answer(arguments))

    return StructuredTool(
        func=run,
        coroutine=arun,
        name=tool.name,
        description=tool.description,
        args_schema=tool.schema,
        handle_tool_error=True,
    )


def _told(answer: Answer) -> str:
    if answer.failed:
        # LangChain's own way to say that a tool failed: the model reads the text, marked as error.
        raise ToolException(answer.text)
    return answer.text
