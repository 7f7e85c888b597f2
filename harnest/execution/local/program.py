"""One program and how it is to be run, in the form that a supervisor takes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from harnest.execution.local.launcher import Launcher
from harnest.execution.local.supervisor import bundle

__all__ = ["Limits", "LocalProgram"]

Limits = tuple[tuple[int, int, int], ...]
"""Number, soft and hard value of each resource limit; :func:`~.rlimits.effective` makes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalProgram:
    """What a supervisor is to run: Python source in a fork of its own, or a command line.

    Attributes:
        code: Python source; None to run ``argv``.
        argv: Absolute path of an executable and its arguments.
        work: Directory that it starts in; for ``code`` also the last place of ``sys.path``.
        environment: Its whole environment.
        limits: Resource limits of each of its processes.
        python: Interpreter of the supervisor, and so of ``code``: Python 3.8 or newer.
        stdin: Descriptor that it reads as its input, which stays the caller's; None for none.
        pass_fds: Further descriptors of the caller's that it gets under their own numbers.
        isolate_network: Whether to run it in an empty network namespace, or not at all.
        launcher: What starts its supervisor in a confinement; ``work`` and ``python`` are paths in
            there then, and ``environment`` is what the launcher gives to it. None for nothing.

    Raises:
        ValueError: Not exactly one of ``code`` and ``argv`` is given.
    """

    code: str | None = None
    argv: tuple[str, ...] = ()
    work: str
    environment: Mapping[str, str] = field(repr=False)
    limits: Limits = ()
    python: str = sys.executable
    stdin: int | None = None
    pass_fds: tuple[int, ...] = ()
    isolate_network: bool = False
    launcher: Launcher | None = None

    def __post_init__(self) -> None:
        if (self.code is None) is not bool(self.argv):
            raise ValueError("a program is either code or argv")

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Every descriptor of the caller's that it gets."""
        return self.pass_fds if self.stdin is None else (self.stdin, *self.pass_fds)

    @property
    def host_directory(self) -> str:
        """Folder of this host that its processes are started in."""
        return self.work if self.launcher is None else self.launcher.directory

    @property
    def host_environment(self) -> Mapping[str, str]:
        """Environment of the first process that is started."""
        return self.environment if self.launcher is None else self.launcher.environment

    @property
    def inherited(self) -> tuple[int, ...]:
        """Every descriptor of the caller's that the first process inherits."""
        launchers = () if self.launcher is None else self.launcher.descriptors
        return (*self.descriptors, *launchers)

    def payload(self, report: int, deadline: float | None) -> bytes:
        """Return what the supervisor reads from its input.

        Args:
            report: Descriptor on which the supervisor reports.
            deadline: When the program must be over, on ``time.monotonic()``; None for never.
        """
        settings = {
            "argv": list(self.argv),
            "code": self.code,
            "deadline": deadline,
            "descriptors": list(self.descriptors),
            "environment": dict(self.environment),
            "isolate_network": self.isolate_network,
            "limits": self.limits,
            "report": report,
            "stdin": self.stdin,
            "work": self.work,
        }
        return bundle.payload(self.python, settings)

    def command(self, payload: bytes) -> list[str]:
        """Return the command line that reads ``payload`` and acts on it."""
        prefix = () if self.launcher is None else self.launcher.prefix
        return [*prefix, *bundle.command(self.python, len(payload))]
