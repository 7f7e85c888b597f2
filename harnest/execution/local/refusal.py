"""Why a tier can't confine programs on this host, in the words of whoever has to mend it."""

from __future__ import annotations

__all__ = ["Refusal"]


class Refusal(Exception):
    """A promise of a tier does not hold here, so nothing is run.

    Args:
        reason: What is missing or was found, free of code and environment.
        remedy: What to do about it, as a sentence.

    Attributes:
        reason: As above.
        remedy: As above.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}. {remedy}")
        self.reason = reason
        self.remedy = remedy
