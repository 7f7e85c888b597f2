"""A model without a service behind it, so that the example runs anywhere and says the same twice.

It does what a language model does in this loop: asked for something, it writes a Python block;
shown the outcome of its block, it answers with it. Give `agent.py` a real model's name instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["ScriptedModel"]

_EXPRESSION = re.compile(r"[\d\s.+*/()-]*\d")


class ScriptedModel(BaseLlm):
    """Turns arithmetic into code, and the outcome of code into an answer."""

    model: str = "scripted"

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002 - it has nothing to stream
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer the last thing that was said."""
        part = types.Part(text=_answer(llm_request.contents[-1].parts or []))
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=0, candidates_token_count=0
            ),
        )


def _answer(parts: list[types.Part]) -> str:
    result = next(
        (part.code_execution_result for part in parts if part.code_execution_result), None
    )
    text = "".join(part.text or "" for part in parts)
    if result is not None or "tool_output" in text:
        seen = (result.output if result else text) or ""
        failed = "harnest: status" in seen
        last = seen.replace("```", "").strip().splitlines()[-1]
        return f"That did not work: {last}" if failed else f"The answer is {last}."
    expression = _EXPRESSION.search(text)
    code = f"print({expression.group().strip() if expression else ''})"
    return f"Let me compute it.\n```python\n{code}\n```"
