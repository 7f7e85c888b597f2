"""Where extensions that were made for a test write down what they did, in this process."""

from __future__ import annotations

__all__ = ["EVENTS"]

EVENTS: list[str] = []
