"""What a model is told, whether a tool did its work or not."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from harnest.execution.errors import ExecutionError
from harnest.execution.tools.faults import EditError, FileChangedError, UnreadableContentError
from harnest.execution.tools.grammar import PatternError
from harnest.logging import get_logger

__all__ = ["KINDS", "Answer", "failure"]

_LOG = get_logger("execution.tools")

KINDS: tuple[tuple[type[Exception], str], ...] = (
    (FileNotFoundError, "not-found"),
    (FileExistsError, "exists"),
    (IsADirectoryError, "is-a-directory"),
    (NotADirectoryError, "not-a-directory"),
    (PermissionError, "permission-denied"),
    (TimeoutError, "timed-out"),
    (FileChangedError, "changed"),
    (EditError, "no-unique-match"),
    (PatternError, "invalid-pattern"),
    (UnreadableContentError, "unreadable"),
    (OSError, "failed"),
    (ExecutionError, "backend-failed"),
    (ValueError, "invalid-argument"),
    (TypeError, "invalid-argument"),
)
"""What an error is called: the first class that it is of decides. Beside these there are
``not-empty`` (OSError, ENOTEMPTY), ``unknown-tool``, and ``internal`` for what nobody foresaw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Text for a model.

    Attributes:
        text: What it reads.
        kind: Why the tool did not do its work, as a stable word; empty if it did.
    """

    text: str
    kind: str = ""

    @property
    def failed(self) -> bool:
        """Whether the tool did not do its work."""
        return bool(self.kind)


def failure(tool: str, error: Exception) -> Answer:
    """Return what a model is told about an error: its kind and its message, never a trace.

    Args:
        tool: Name of the tool.
        error: What it raised. One that nobody foresaw is told by its type alone, and logged.
    """
    kind = _kind(error)
    if not kind:
        _LOG.exception("tool failed", tool=tool, error=type(error).__name__)
        name = type(error).__name__
        return Answer(text=f"Error (internal): {tool} failed with {name}", kind="internal")
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Answer(text=f"Error ({kind}): {message or type(error).__name__}", kind=kind)


def _kind(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.ENOTEMPTY:
        return "not-empty"
    return next((kind for known, kind in KINDS if isinstance(error, known)), "")
