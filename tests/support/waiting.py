"""Waiting on machines of any speed: for what happens, and for programs that have a deadline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LONG", "before_a_deadline", "until"]

LONG = 60.0
"""Longest that a test waits for what must happen, in seconds; reaching it is a failure."""
PAUSE = 0.01
"""Between two looks, in seconds."""
DEADLINES = (1, 2, 4, 8, 16)
"""What programs are given, in seconds; the last one is judged."""

T = TypeVar("T")


def until(look: Callable[[], T]) -> T:
    """Look until what is seen is true; return it.

    Raises:
        AssertionError: It was not for ``LONG`` seconds.
    """
    end = time.monotonic() + LONG
    while not (seen := look()):
        assert time.monotonic() < end, f"it did not happen within {LONG:g} seconds"
        time.sleep(PAUSE)
    return seen


def before_a_deadline(attempt: Callable[[int], T], *, reached: Callable[[], object]) -> T:
    """Let a program meet its deadline, having done before it what the test is about.

    How much it does in a second is a matter of the machine. So each attempt gives twice the time
    of the one before, until there is evidence of what was to be done.

    Args:
        attempt: Runs the program with that many seconds.
        reached: The evidence, from elsewhere than what is tested; falsy if it is missing.

    Returns:
        What the first attempt with evidence gave, or the last one.
    """
    for seconds in DEADLINES:
        given = attempt(seconds)
        if reached():
            break
    return given
