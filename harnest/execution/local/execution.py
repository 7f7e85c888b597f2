"""One program, run in a directory: from its supervisor's start to the report of its end."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest.execution.local.child import Child
from harnest.execution.local.conversation import Cause, converse
from harnest.execution.local.errors import LaunchError, LocalProgramError
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from harnest.execution.local.capture import Capture
    from harnest.execution.local.cgroup import ControlGroup
    from harnest.execution.local.program import LocalProgram
    from harnest.execution.local.report import End
    from harnest.sandbox.scope import SandboxControl

__all__ = ["Ended", "Ending", "run_local"]

_CPU_TOLERANCE_MS = 250
"""How much less than the limit is accounted when the kernel, which samples, has seen it reached."""


class Ending(enum.Enum):
    """What ended a program, by evidence and never by a number that it can return."""

    EXIT = "itself, or a signal that was not ours"
    DEADLINE = "its deadline"
    OUTPUT = "its output limit"
    LOST = "its supervisor, which it killed or kept from telling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended; nothing of it is running.

    Attributes:
        end: The supervisor's report; None if the program ended its supervisor.
        ending: What ended it.
        refused_processes: How often it was refused another process.
        memory_exceeded: Whether the kernel killed for the bound on its memory, or its address
            space was used up and Python gave up for that.
    """

    end: End | None
    ending: Ending
    refused_processes: int = 0
    memory_exceeded: bool = False

    @property
    def exit_code(self) -> int | None:
        """Exit code, 128 + n after signal n; None if it did not end by itself."""
        return self.end.exit_code if self.end and self.ending is Ending.EXIT else None

    def cpu_exceeded(self, seconds: int) -> bool:
        """Return whether its limit of CPU time ended it.

        Args:
            seconds: That limit.
        """
        if self.end is None or self.ending is not Ending.EXIT:
            return False
        used = self.end.cpu_ms >= seconds * 1000 - _CPU_TOLERANCE_MS
        return self.end.signal == signal.SIGXCPU and used


def run_local(
    program: LocalProgram,
    *,
    group: ControlGroup | None,
    capture: Capture,
    scope: SandboxControl,
) -> Ended:
    """Run a program to its end, the scope's deadline or its cancellation.

    Args:
        program: What to run.
        group: Control group for it, new; it is removed at the end. None for none.
        capture: Where its output goes.
        scope: Deadline and cancellation.

    Raises:
        LaunchError: Its launcher could not confine it; it was not run.
        LocalProgramError: It could not be started.
        SandboxCancelledError: The scope was cancelled; nothing of it is running.
    """
    with group if group is not None else contextlib.nullcontext():
        try:
            child = Child(program, group, scope.deadline)
        except OSError as error:
            raise _not_started(type(error).__name__) from None
        with child:
            ended = _watched(child, capture, scope)
            starved = group is not None and group.oom_kills() > 0
            if program.launcher is not None and ended.ending is Ending.LOST and not starved:
                _check_launched(child, capture)
        if group is None:
            return ended
        return dataclasses.replace(
            ended,
            refused_processes=group.refused(),
            memory_exceeded=ended.memory_exceeded or group.oom_kills() > 0,
        )


def _check_launched(child: Child, capture: Capture) -> None:
    """Refuse an end before the beginning: what it wrote is the launcher's, not the program's."""
    if not child.reporter.pid:
        raise LaunchError(capture.text(OutputStream.STDERR).strip())


def _watched(child: Child, capture: Capture, scope: SandboxControl) -> Ended:
    try:
        cause = converse(child, capture, scope)
    except ValueError:  # a forged report: the program runs as the same user
        return Ended(end=None, ending=Ending.LOST)
    reporter = child.reporter
    if reporter.refused:
        raise _refused(reporter.refused)
    ending = _ending(reporter.end, cause, overflowed=capture.overflowed)
    return Ended(end=reporter.end, ending=ending, memory_exceeded=reporter.memory_exceeded)


def _ending(end: End | None, cause: Cause, *, overflowed: bool) -> Ending:
    if overflowed:
        return Ending.OUTPUT
    if end is not None and end.ending == "exit" and end.exit_code is not None:
        return Ending.EXIT
    if cause is Cause.DEADLINE or (end is not None and end.ending == "deadline"):
        return Ending.DEADLINE
    return Ending.LOST


def _refused(reason: str) -> LocalProgramError:
    if reason.startswith("network"):
        return LocalProgramError(
            "This host no longer allows an unprivileged network namespace, so the program was not "
            "run. `harnest sandbox doctor` says what is missing.",
            phase="start",
        )
    return _not_started(reason)


def _not_started(reason: str) -> LocalProgramError:
    return LocalProgramError(
        f"The program's process could not be set up ({reason}): check the interpreter or "
        "executable, and the limits of the declaration.",
        phase="start",
    )
