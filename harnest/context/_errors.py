"""What the invocation facade and everything behind it refuse with."""

from __future__ import annotations

__all__ = ["ContextResourceError", "ContextTypeError", "ContextUnavailableError"]


class ContextUnavailableError(RuntimeError):
    """There is no running invocation here, or what was handed out belongs to one that ended."""


class ContextResourceError(LookupError):
    """A resource does not exist or was not granted; the text says what to add where."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ContextTypeError(ContextResourceError, TypeError):
    """The resource exists, but is not of the type that the caller expects."""
