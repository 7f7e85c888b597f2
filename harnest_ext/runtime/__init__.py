"""The only place that executes extension code: importing, life cycle, invocations, sandboxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnest_ext.runtime.agent import AgentRuntime
    from harnest_ext.runtime.invocation import Invocation

__all__ = ["AgentRuntime", "Invocation"]


def __getattr__(name: str) -> object:
    # A script that only imports an extension needs no event loop, no SQLite, no invocations.
    if name == "AgentRuntime":
        from harnest_ext.runtime.agent import AgentRuntime  # noqa: PLC0415 - see above

        return AgentRuntime
    if name == "Invocation":
        from harnest_ext.runtime.invocation import Invocation  # noqa: PLC0415 - see above

        return Invocation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
