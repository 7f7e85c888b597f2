"""A running supervisor: its process, its pipes, and its end whatever happens.

Leaving the ``with`` block ends everything: the supervisor is told to stop and kills the program's
processes; if it doesn't answer (the program may have suspended or killed it) the host does it.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from typing import TYPE_CHECKING, Self

from harnest.execution.local import limits
from harnest.execution.local.launcher import adopt_launched
from harnest.execution.local.report import Reporter
from harnest.execution.local.strays import Traces, kill_family, kill_strays

if TYPE_CHECKING:
    from harnest.execution.local.cgroup import ControlGroup
    from harnest.execution.local.program import LocalProgram

__all__ = ["Child"]


class Child:
    """One supervisor and its program.

    Args:
        program: What to run.
        group: Control group to run it in, which the caller made and removes; None for none.
        deadline: When it must be over, on ``time.monotonic()``; None for never.

    Attributes:
        stdin: Descriptor to write the payload to; closing it means "stop".
        stdout: Descriptor of the program's output.
        stderr: Descriptor of the program's error output.
        report: Descriptor of the supervisor's report.
        reporter: What the supervisor told so far.

    Raises:
        OSError: The interpreter could not be started.
    """

    def __init__(
        self, program: LocalProgram, group: ControlGroup | None, deadline: float | None
    ) -> None:
        self._told_at: float | None = None
        self._ended = False
        self._group = group
        self._launcher = program.launcher
        self.reporter = Reporter()
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            stdin, self.stdin = _pipe(theirs, ours)
            self.stdout, stdout = _pipe(ours, theirs)
            self.stderr, stderr = _pipe(ours, theirs)
            self.report, report = _pipe(ours, theirs)
            for end in (self.stdin, self.stdout, self.stderr, self.report):
                os.set_blocking(end, False)
            self._traces = Traces.of(program.host_directory, (stdout, stderr))
            payload = program.payload(report, deadline)
            self._unsent = memoryview(payload)
            self._process = subprocess.Popen(
                program.command(payload),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=(report, *program.inherited),
                cwd=program.host_directory,
                env=dict(program.host_environment),
                start_new_session=True,
            )
            self._adopt()
            self._pipes = ours.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._pipes:
            self.end()

    @property
    def overdue(self) -> bool:
        """Whether the supervisor was told to stop a while ago and has not answered."""
        told = self._told_at
        return told is not None and time.monotonic() > told + limits.STALLED_SECONDS

    def send(self) -> bool:
        """Write as much of the payload as fits; return whether all of it is written."""
        try:
            self._unsent = self._unsent[os.write(self.stdin, self._unsent) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:  # the supervisor is gone; its report, or the lack of it, says more
            return True
        return not self._unsent

    def read(self, descriptor: int) -> bytes | None:
        """Return what came from one of the pipes: empty at its end, None if nothing came yet."""
        try:
            return os.read(descriptor, limits.READ_BYTES)
        except BlockingIOError:
            return None

    def listen(self) -> bool:
        """Read what the supervisor reports; return whether it can't report more.

        Raises:
            ValueError: It is no report.
        """
        data = self.read(self.report)
        if data:
            self.reporter.feed(data)
        return data == b""

    def stop(self) -> None:
        """Tell the supervisor to end everything, once; returns at once."""
        if self._told_at is None:
            self._told_at = time.monotonic()
            with contextlib.suppress(BrokenPipeError, BlockingIOError):
                os.write(self.stdin, b"\n")

    def end(self) -> None:
        """Make sure that nothing of the execution runs any more; bounded, idempotent."""
        if self._ended:
            return
        self._ended = True
        if not self.reporter.over:
            self.stop()
            self._await_report()
        if not self.reporter.over:
            self._end_by_force()
        elif self._contains:
            self._await_namespace()
        self._process.kill()
        self._process.wait()

    @property
    def _contains(self) -> bool:
        return self._launcher is not None and self._launcher.contains

    def _await_namespace(self) -> None:
        """Wait for the launcher's own end, which comes when nothing of its namespace is left."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(limits.FORCE_SECONDS)

    def _adopt(self) -> None:
        """Put the supervisor, which waits for its payload, into the control group."""
        try:
            if self._launcher is not None:
                adopt_launched(self._process.pid, self._group)
            elif self._group is not None:
                self._group.adopt(self._process.pid)
        except OSError:
            self._process.kill()
            self._process.wait()
            raise

    def _await_report(self) -> None:
        """Wait until the supervisor reports the end, reports no more, or is overdue."""
        poller = select.poll()
        poller.register(self.report, select.POLLIN)
        while not self.reporter.over and not self.overdue:
            if poller.poll(limits.STALLED_SECONDS * 1000):
                try:
                    if self.listen():
                        return
                except ValueError:
                    return

    def _end_by_force(self) -> None:
        alive = self._process.poll() is None
        if alive:
            kill_family(self._process.pid)
        if alive and self._contains:  # its process 1 was killed, and so the kernel kills the rest
            self._await_namespace()
        self._process.kill()
        self._process.wait()  # a group is not empty before its dead are reaped
        if self._group is not None:
            self._group.kill()
        elif not self._contains:  # processes of a namespace of their own have other numbers here
            kill_strays(self._traces, session=self.reporter.pid)


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Make a pipe whose ends are closed with the given stacks."""
    ends = os.pipe()
    for end, stack in zip(ends, (reader, writer), strict=True):
        stack.callback(os.close, end)
    return ends
