"""A google-adk model that says what a test tells it, in ADK's own agent loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["ScriptedModel", "said"]


class ScriptedModel(BaseLlm):
    """Answers with the next text of its script and keeps what it was asked."""

    model: str = "scripted"
    _script: list[str] = PrivateAttr()
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    def __init__(self, *script: str) -> None:
        super().__init__(model="scripted")
        self._script = list(script)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Give the next answer."""
        self._requests.append(llm_request.model_copy(deep=True))
        part = types.Part(text=self._script.pop(0))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))

    def saw(self) -> str:
        """Return all text of the last request: what the model knew when it answered."""
        return said(content for content in self._requests[-1].contents)


def said(contents: Any) -> str:
    """Return the text of contents, results of code included."""
    texts = []
    for content in contents:
        for part in content.parts or []:
            result = part.code_execution_result
            texts.append(part.text or (result.output if result else "") or "")
    return "\n".join(texts)
