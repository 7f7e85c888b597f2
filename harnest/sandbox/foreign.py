"""Recognise objects of frameworks without importing the frameworks."""

from __future__ import annotations

__all__ = ["is_adk_executor"]

_ADK_EXECUTORS = "google.adk.code_executors"


def is_adk_executor(candidate: object) -> bool:
    """Tell whether ``candidate`` is an instance of google-adk's ``BaseCodeExecutor``."""
    return any(
        base.__name__ == "BaseCodeExecutor" and base.__module__.startswith(_ADK_EXECUTORS)
        for base in type(candidate).__mro__
    )
