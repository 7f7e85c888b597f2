"""Where extensions that were made for a test write down what they did, in this process."""

from __future__ import annotations

import threading

__all__ = ["EVENTS", "WAITING"]

EVENTS: list[str] = []

WAITING = threading.Event()
"""Set by the provider in memory when it begins to wait."""
