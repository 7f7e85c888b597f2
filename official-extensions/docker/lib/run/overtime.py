"""The end of one run: PID 1 keeps its deadline, and has a moment of grace to say the last word."""

import time

from harnest.sandbox.scope import SandboxControl

from ..limits import KILL_GRACE_SECONDS


class Overtime:
    """Looks at a scope while a program runs, and says how long its last word is waited for.

    The scope's deadline may be drawn nearer during the run: then PID 1, which was told the later one,
    has to be told to stop.

    Attributes:
        late: whether the scope's deadline has passed.
    """

    def __init__(self, scope: SandboxControl, seconds: float) -> None:
        self._scope = scope
        self._until = time.monotonic() + seconds
        self.late = False

    def look(self) -> bool:
        """Return True once: when the scope's deadline has passed.

        Raises:
            SandboxCancelledError: the scope was cancelled.
        """
        if self.late:
            self._scope.check_wanted()
            return False
        try:
            self._scope.check()
        except TimeoutError:
            self.late = True
            self._until = min(self._until, time.monotonic())
        return self.late

    @property
    def left(self) -> float:
        """Seconds until the last word is not waited for any more, 0 or less when that is now."""
        return self._until + KILL_GRACE_SECONDS - time.monotonic()
