"""One program, run in a directory: from its supervisor's start to the report of its end."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .child import Child
from .conversation import Cause, converse
from .errors import ProcessSandboxError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.sandbox.scope import SandboxControl

    from .capture import Capture
    from .cgroup import ControlGroup
    from .program import Program
    from .report import End

__all__ = ["Ended", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How it ended; nothing of it is running.

    Attributes:
        end: The supervisor's report; None if the program ended its supervisor.
        cause: Why the host told it to stop.
        refused_processes: How often it was refused another process.
    """

    end: End | None
    cause: Cause
    refused_processes: int = 0


def run(
    program: Program,
    environment: Mapping[str, str],
    *,
    group: ControlGroup | None,
    capture: Capture,
    scope: SandboxControl,
) -> Ended:
    """Run a program to its end, the scope's deadline or its cancellation.

    Args:
        program: What to run.
        environment: Its whole environment.
        group: Control group for it, new; it is removed at the end. None for none.
        capture: Where its output goes.
        scope: Deadline and cancellation.

    Raises:
        ProcessSandboxError: It could not be started.
        SandboxCancelledError: The scope was cancelled.
    """
    with group if group is not None else contextlib.nullcontext():
        try:
            child = Child(program, environment, group)
        except OSError as error:
            raise _not_started(type(error).__name__) from None
        with child:
            ended = _watched(child, capture, scope)
        refused = 0 if group is None else group.refused()
    return dataclasses.replace(ended, refused_processes=refused)


def _watched(child: Child, capture: Capture, scope: SandboxControl) -> Ended:
    try:
        cause = converse(child, capture, scope)
    except ValueError:  # a forged report: the program runs as the same user
        return Ended(end=None, cause=Cause.NONE)
    if child.reporter.refused:
        raise _refused(child.reporter.refused)
    return Ended(end=child.reporter.end, cause=cause)


def _refused(reason: str) -> ProcessSandboxError:
    if reason.startswith("network"):
        return ProcessSandboxError(
            "This host no longer allows an unprivileged network namespace, so the program was not "
            "run. `harnest sandbox doctor` says what is missing.",
            phase="start",
        )
    return _not_started(reason)


def _not_started(reason: str) -> ProcessSandboxError:
    return ProcessSandboxError(
        f"The program's process could not be set up ({reason}): check the interpreter and the "
        "limits of the declaration.",
        phase="start",
    )
