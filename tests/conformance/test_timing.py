"""Deadlines of checks: a busy machine gets longer ones, and what misses two of them is late."""

from __future__ import annotations

import time

import pytest

from harnest_ext.conformance.checks import Broken
from harnest_ext.conformance.timing import Deadlines

NO_TIME = -100.0
"""Slack with which whatever is done is late."""


def test_a_deadline_that_was_too_short_is_followed_by_one_of_twice_the_time() -> None:
    """Until one tells something, or the longest did not."""
    deadlines = Deadlines()
    given = []
    for seconds in deadlines:
        given.append(seconds)
        deadlines.too_short = seconds < 4
    assert given == [1, 2, 4]
    given.clear()
    for seconds in deadlines:
        given.append(seconds)
        deadlines.too_short = True
    assert given == [1, 2, 4, 8, 16]


def test_one_late_call_is_nothing_and_two_are_late() -> None:
    """The text names the deadline that was missed."""
    given: list[int] = []
    with pytest.raises(Broken, match="a deadline of 2 s"):
        given.extend(Deadlines(NO_TIME))
    assert given == [1, 2]


def test_what_is_not_timed_does_not_count() -> None:
    """Opening and closing what is called may take its time."""
    deadlines = Deadlines(-4.0)  # so that a deadline is missed by the least lateness
    given = []
    for seconds in deadlines:
        given.append(seconds)
        with deadlines.timed():
            pass
        time.sleep(1.1 * seconds)
    assert given == [1]
