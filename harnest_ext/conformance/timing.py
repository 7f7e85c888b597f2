"""Time in checks: bounds that a busy machine keeps, and deadlines that are long enough for it."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Final

from harnest_ext.conformance.checks import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SOON_SECONDS", "Deadlines"]

SOON_SECONDS: Final = 10.0
"""Longest that an ending may take; what it must not wait for goes on for 60 s and more."""
_DEADLINES_SECONDS: Final = (1, 2, 4, 8, 16)
_LATE_SECONDS: Final = 4.0
"""Most beyond a deadline; to wait for a detached child's pipes a while takes longer."""
_LATE_TIMES: Final = 2


class Deadlines:
    """Deadlines for one program, the next twice as long, until one tells something about it.

    ::

        deadlines = Deadlines()
        for seconds in deadlines:
            result = run(program, timeout_seconds=seconds)
            deadlines.too_short = not mark.exists()

    A deadline that ended the program before it came to what is judged says nothing about who ran
    it: the machine was busy, and the next one is tried. A deadline is missed only when it is missed
    by seconds, and again by the next. What is done beside the call counts as well, unless the call
    alone is :meth:`timed`.

    Args:
        slack_seconds: How much later than an idle local process a call may come back.

    Attributes:
        too_short: Set by the caller: the program had not come far enough. Read after each deadline.

    Raises:
        Broken: While iterating: two calls came back long after their deadlines.
    """

    def __init__(self, slack_seconds: float = 0.0) -> None:
        self.too_short = False
        self._most = _LATE_SECONDS + slack_seconds
        self._missed = 0
        self._took: float | None = None

    def __iter__(self) -> Iterator[int]:
        for seconds in _DEADLINES_SECONDS:
            self.too_short = False
            self._took = None
            start = time.monotonic()
            yield seconds
            took = time.monotonic() - start if self._took is None else self._took
            if self._kept(seconds, took) and not self.too_short:
                return

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        """Let nothing but what is done in the block count against the deadline."""
        start = time.monotonic()
        yield
        self._took = time.monotonic() - start

    def _kept(self, seconds: int, took: float) -> bool:
        if took <= seconds + self._most:
            return True
        self._missed += 1
        if self._missed == _LATE_TIMES:
            raise Broken(f"a call with a deadline of {seconds} s took {took:.2f} s")
        return False
