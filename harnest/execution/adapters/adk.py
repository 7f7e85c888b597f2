"""google-adk tools from the tools of a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from google.adk.tools.function_tool import FunctionTool
    from google.genai import types
except ImportError as error:
    raise ImportError(
        "harnest.execution.adapters.adk needs google-adk: install 'harnest[adk]'"
    ) from error

if TYPE_CHECKING:
    from google.adk.tools.tool_context import ToolContext

    from harnest.execution.tools import Tool, WorkspaceTools

__all__ = ["WorkspaceFunctionTool", "adk_tools"]


class WorkspaceFunctionTool(FunctionTool):
    """ADK's tool on top of one tool of a backend.

    The declaration that a model sees is the tool's own JSON schema, and its arguments are checked
    by the tool, not by ADK.

    Args:
        tool: The tool.
    """

    def __init__(self, tool: Tool) -> None:
        async def call(**arguments: Any) -> dict[str, str]:
            return await _answered(tool, arguments)

        call.__name__ = tool.name
        call.__doc__ = tool.description
        super().__init__(call)
        self._tool = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._tool.schema,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, str]:
        """Answer a call of the model's.

        Args:
            args: Its arguments.
            tool_context: ADK's context, which the tools do without.

        Returns:
            The text as ``result``; or as ``error``, with its ``kind`` beside it.
        """
        del tool_context
        return await _answered(self._tool, args)


def adk_tools(tools: WorkspaceTools) -> list[FunctionTool]:
    """Return an ADK tool for each tool.

    Args:
        tools: The tools; open their backend first, so that descriptions name what applies.
    """
    return [WorkspaceFunctionTool(tool) for tool in tools]


async def _answered(tool: Tool, arguments: dict[str, Any]) -> dict[str, str]:
    answer = await tool.answer(arguments)
    if answer.failed:
        return {"error": answer.text, "kind": answer.kind}
    return {"result": answer.text}
