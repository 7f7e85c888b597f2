"""One program and how it is to be run, in the form that a supervisor takes."""

from __future__ import annotations

from dataclasses import dataclass

from . import limits
from .supervisor import bundle

__all__ = ["Limits", "Program", "refusal_of"]

Limits = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program and how its supervisor is to run it.

    Attributes:
        python: Interpreter.
        work: Its work directory.
        code: Source text; :func:`refusal_of` must have passed it.
        deadline: When it must be over, on ``time.monotonic()``; None for never.
        limits: Number, soft and hard value of each resource limit.
        isolate_network: Whether to run it in an empty network namespace, or not at all.
    """

    python: str
    work: str
    code: str
    deadline: float | None
    limits: Limits
    isolate_network: bool

    def payload(self, report: int) -> bytes:
        """Return what the supervisor reads from its input.

        Args:
            report: Descriptor on which the supervisor reports.
        """
        settings = {
            "code": self.code,
            "deadline": self.deadline,
            "isolate_network": self.isolate_network,
            "limits": self.limits,
            "report": report,
            "work": self.work,
        }
        return bundle.payload(self.python, settings)

    def command(self, payload: bytes) -> list[str]:
        """Return the command line that reads ``payload`` and acts on it."""
        return bundle.command(self.python, len(payload))


def refusal_of(code: str) -> str:
    """Return why a program can't be delivered at all, or an empty text."""
    try:
        size = len(code.encode())
    except UnicodeEncodeError:
        return "the code holds a lone surrogate, which no file could hold"
    if "\0" in code:
        return "the code holds a NUL character"
    if size > limits.CODE_BYTES:
        return f"the code has {size} bytes, more than {limits.CODE_BYTES}"
    return ""
