"""Recognise objects of frameworks without importing the frameworks."""

from __future__ import annotations

__all__ = ["AdkOnlyError", "is_adk_executor"]

_ADK_EXECUTORS = "google.adk.code_executors"
_ADK_ONLY = (
    "this sandbox is ADK only: its factory makes a google-adk code executor; "
    "use to_adk_executor(), or declare a factory of a portable provider"
)


class AdkOnlyError(TypeError):
    """A sandbox whose factory makes a google-adk executor is used from elsewhere than ADK."""

    def __init__(self, message: str = _ADK_ONLY) -> None:
        super().__init__(message)


def is_adk_executor(candidate: object) -> bool:
    """Tell whether ``candidate`` is an instance of google-adk's ``BaseCodeExecutor``."""
    return any(
        base.__name__ == "BaseCodeExecutor" and base.__module__.startswith(_ADK_EXECUTORS)
        for base in type(candidate).__mro__
    )
