"""Calling a tool from code that can't wait for it, such as a framework's synchronous agent loop."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.execution.tools import Answer, Tool

__all__ = ["answer_now"]


def answer_now(tool: Tool, arguments: Mapping[str, object]) -> Answer:
    """Return a tool's answer, holding up this thread until it is there.

    It runs in an event loop of its own, in a thread of its own: this one may have a loop already.

    Args:
        tool: The tool.
        arguments: What the model sent.
    """
    context = contextvars.copy_context()  # with the invocation on whose behalf this is done

    def run() -> Answer:
        return asyncio.run(tool.answer(arguments))

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="harnest-tool") as pool:
        return pool.submit(context.run, run).result()
