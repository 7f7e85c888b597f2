"""One program in a process group of its own, ended as a group whatever happens."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from typing import IO, TYPE_CHECKING, Self

from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from harnest.sandbox.scope import SandboxControl

    from .output import Output

__all__ = ["Process"]

POLL_SECONDS = 0.05
"""Longest wait before deadline and cancellation are looked at again."""
READ_BYTES = 65_536
"""Bytes taken from a pipe at once."""


class Process:
    """A running program; leaving the ``with`` block ends its whole group.

    Args:
        code: Its text.
        work: Its working directory, which is its home too.

    Raises:
        OSError: The interpreter can't be started.
    """

    def __init__(self, code: str, work: str) -> None:
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": work, "TMPDIR": work}
        with tempfile.TemporaryFile() as program:
            # The interpreter reads the code from its input, so size doesn't matter, and then finds
            # that input at its end.
            program.write(code.encode())
            program.seek(0)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-"],
                stdin=program,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=work,
                env=environment,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def end(self) -> None:
        """Kill every process of the group and reap the program."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def run(self, output: Output, scope: SandboxControl) -> int | None:
        """Let it run to its end, its budget or its deadline.

        Args:
            output: Where its output goes.
            scope: Deadline and cancellation.

        Returns:
            Its exit code, or 128 + the signal that ended it; None if this method ended it.

        Raises:
            SandboxCancelledError: The call was cancelled.
            TimeoutError: The deadline has passed.
        """
        with selectors.DefaultSelector() as selector:
            for stream, file in self._streams():
                os.set_blocking(file.fileno(), False)
                selector.register(file, selectors.EVENT_READ, stream)
            while selector.get_map() and self._process.poll() is None:
                for key, _ in selector.select(_pause(scope)):
                    if not _transfer(key.fd, key.data, output):
                        selector.unregister(key.fileobj)
                scope.check()
                if output.overflowed:
                    return None
        return self._finished(output, scope)

    def _finished(self, output: Output, scope: SandboxControl) -> int:
        while self._process.poll() is None:  # it closed its streams and goes on
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_pause(scope))
            scope.check()
        code = self._process.returncode
        self.end()  # what it left in its group must not hold the pipes
        for stream, file in self._streams():
            while _transfer(file.fileno(), stream, output) and not output.overflowed:
                pass
            output.feed(stream, b"", final=True)
        return code if code >= 0 else 128 - code

    def _streams(self) -> list[tuple[OutputStream, IO[bytes]]]:
        out, err = self._process.stdout, self._process.stderr
        assert out is not None
        assert err is not None
        return [(OutputStream.STDOUT, out), (OutputStream.STDERR, err)]


def _transfer(descriptor: int, stream: OutputStream, output: Output) -> bool:
    """Take what there is; return whether there was something."""
    try:
        data = os.read(descriptor, READ_BYTES)
    except BlockingIOError:
        return False
    output.feed(stream, data)
    return bool(data)


def _pause(scope: SandboxControl) -> float:
    remaining = scope.remaining()
    return POLL_SECONDS if remaining is None else min(POLL_SECONDS, remaining)
