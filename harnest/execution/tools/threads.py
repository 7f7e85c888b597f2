"""Blocking work beside the event loop that is never left running unobserved."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["in_thread"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a function in a thread; a cancelled task waits for its end, so locks stay held.

    Args:
        function: What to call: bounded work on files.
        args: Its arguments.
        kwargs: Its named arguments.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if not work.cancelled():
            await asyncio.wait([work])
            if not work.cancelled():
                work.exception()  # looked at: nobody is left to be told
        raise
