"""A chat model without a service behind it: the example runs anywhere and says the same twice.

It does what a language model does in this loop: asked for something, it calls the tool with a
Python program; shown the tool's answer, it answers with it. Give `agent.py` a real model instead.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ScriptedModel"]

_EXPRESSION = re.compile(r"[\d\s.+*/()-]*\d")


class ScriptedModel(BaseChatModel):
    """Turns arithmetic into a tool call, and the tool's answer into an answer."""

    tool_name: str = ""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> ScriptedModel:
        """Remember the tool that it may call."""
        return ScriptedModel(tool_name=tools[0].name)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages[-1]))])

    def _answer(self, last: BaseMessage) -> AIMessage:
        if isinstance(last, ToolMessage):
            return AIMessage(_told(json.loads(str(last.content))))
        expression = _EXPRESSION.search(str(last.content))
        code = f"print({expression.group().strip() if expression else ''})"
        call = {"name": self.tool_name, "args": {"code": code}, "id": f"call-{last.id}"}
        return AIMessage("Let me compute it.", tool_calls=[call])


def _told(outcome: dict[str, Any]) -> str:
    if outcome["status"] == "succeeded":
        return f"The answer is {outcome['stdout'].strip()}."
    reason = outcome["stderr"].strip().rpartition("\n")[2]
    return f"That did not work: {outcome['status']}, exit code {outcome['exit_code']}: {reason}"
