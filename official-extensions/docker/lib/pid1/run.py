"""Supervise one program: pass its output on within a budget, end it in time, say how it ended.

The outcome is what the kernel reports to PID 1, and goes to the host beside the program's output: a
program can reach neither the stream nor the counters.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the part without enum, which costs milliseconds
import os
import select
import time

from . import child, kernel, wire

TYPE_CHECKING = False  # importing typing would cost each start milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn, TypeAlias

    from .dns import Resolver
    from .link import Link

    Become: TypeAlias = "Callable[[int, int], NoReturn]"

CHUNK = 1 << 16
_WAIT_MS = 3_600_000
"""Longest wait at a stretch, in milliseconds: the kernel takes no more than 24 days."""


class Run:
    """One program, from fork to the last reaped process."""

    def __init__(
        self,
        link: Link,
        evidence: kernel.Evidence,
        wakeup: int,
        resolver: Resolver | None,
        settled: int,
    ) -> None:
        """*settled* is a real time, in nanoseconds, since when no file has changed here."""
        self._link = link
        self._settled = settled
        self._evidence = evidence
        self._wakeup = wakeup
        self._resolver = resolver
        self._poller = select.poll()
        self._pipes: dict[int, bytes] = {}
        self._sent = {wire.STDOUT: 0, wire.STDERR: 0}
        self._dropped = {wire.STDOUT: 0, wire.STDERR: 0}
        self._status: int | None = None
        self._pid = 0
        self._reading = True
        self._writing = False
        self.reason = "-"

    def execute(self, payload: bytes) -> None:
        """Run the program of one frame and tell the host everything about it."""
        started = time.monotonic()
        seconds, self._budget, most_files, most_bytes = wire.PROGRAM_HEAD.unpack_from(payload)
        self._deadline = started + seconds
        since = _since(self._settled) if most_files else 0
        code = payload[wire.PROGRAM_HEAD.size :]
        facts = self._supervise(started, lambda out, err: child.become(code, out, err))
        if most_files and self.reason == "-":
            facts["files_refused"] = self._collect(most_files, most_bytes, since)
        self._link.send(wire.EXIT, wire.pack_facts(facts))

    def refuse(self, number: int) -> None:
        """Tell the host that the input files could not be written, for the error of that number."""
        words = "harnest: the input files can't be written: {}\n".format(os.strerror(number))
        self._link.send(wire.STDERR, words.encode())
        self.reason = "input_files"
        self._link.send(wire.EXIT, wire.pack_facts(self._facts({}, {}, 0, time.monotonic())))

    def _supervise(self, started: float, become: Become) -> dict[str, object]:
        """Run what a forked child *become*s to its end, and return the facts of it."""
        before = self._evidence.read()
        self._start(become)
        self._watch()
        reaped = kernel.sweep()
        self._read_rest()
        after = self._evidence.read()
        kernel.clear_shared_memory()
        return self._facts(before, after, reaped, started)

    def _start(self, become: Become) -> None:
        out_read, out_write = os.pipe2(os.O_CLOEXEC)
        err_read, err_write = os.pipe2(os.O_CLOEXEC)
        self._pid = os.fork()
        if self._pid == 0:
            become(out_write, err_write)
        os.close(out_write)
        os.close(err_write)
        for pipe, kind in ((out_read, wire.STDOUT), (err_read, wire.STDERR)):
            os.set_blocking(pipe, False)
            self._pipes[pipe] = kind
            self._poller.register(pipe, select.POLLIN)
        for source in (self._link.source, self._wakeup):
            self._poller.register(source, select.POLLIN)
        if self._resolver is not None:
            self._poller.register(self._resolver.fileno(), select.POLLIN)

    def _watch(self) -> None:
        while self._status is None:
            self._balance()
            for source, _ in self._poller.poll(self._patience()):
                self._serve(source)
            if time.monotonic() >= self._deadline:
                self._stop("deadline")
            self._reap()

    def _patience(self) -> int | None:
        """Return milliseconds to wait: up to the deadline; once stopped, only death is waited for."""
        if self.reason != "-":
            return None
        return max(0, min(_WAIT_MS, int((self._deadline - time.monotonic()) * 1000) + 1))

    def _balance(self) -> None:
        """Read from the program only while the host keeps up; wait to write only while there is something."""
        reading = self.reason != "-" or not self._link.full
        if reading != self._reading:
            self._reading = reading
            for pipe in self._pipes:
                self._poller.modify(pipe, select.POLLIN if reading else 0)
        writing = self._link.waiting
        if writing != self._writing:
            self._writing = writing
            if writing:
                self._poller.register(self._link.sink, select.POLLOUT)
            else:
                self._poller.unregister(self._link.sink)

    def _serve(self, source: int) -> None:
        if source in self._pipes:
            self._read(source)
        elif source == self._link.sink:
            self._link.flush()
        elif source == self._link.source:
            self._listen()
        elif source == self._wakeup:
            _empty(source)
        elif self._resolver is not None:
            self._resolver.answer()

    def _listen(self) -> None:
        # Never waits for the rest of a frame: that would put the deadline into the host's hands.
        self._link.listen()
        while True:
            frame = self._link.heard(wire.STDIN_BYTES)
            if frame is None:
                return
            self._heard(*frame)

    def _heard(self, kind: bytes, payload: bytes) -> None:
        if kind == wire.CANCEL:
            self._stop("cancel")
        elif kind != wire.BEAT or payload:
            os._exit(1)

    def _read(self, pipe: int) -> bool:
        """Pass one chunk on; return False at the end of the pipe or when nothing waits in it."""
        try:
            chunk = os.read(pipe, CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._poller.unregister(pipe)
            del self._pipes[pipe]
            os.close(pipe)
            return False
        kind = self._pipes[pipe]
        room = self._budget - sum(self._sent.values())
        if room > 0:
            self._link.send(kind, chunk[:room])
        kept = min(room, len(chunk)) if room > 0 else 0
        self._sent[kind] += kept
        self._dropped[kind] += len(chunk) - kept
        if kept < len(chunk):
            self._stop("output_limit")
        return True

    def _stop(self, reason: str) -> None:
        if self.reason == "-":
            self.reason = reason
            kernel.kill_all()

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._pid:
                self._status = status

    def _read_rest(self) -> None:
        # Every holder of the pipes is dead, so they end; what lies in them is still the program's.
        for pipe in list(self._pipes):
            while self._read(pipe):
                pass
        for pipe in list(self._pipes):
            os.close(pipe)

    def _facts(
        self, before: dict[str, int], after: dict[str, int], reaped: int, started: float
    ) -> dict[str, object]:
        status = self._status or 0
        killed = os.WIFSIGNALED(status)
        return {
            "signal": os.WTERMSIG(status) if killed else 0,
            "exit": 0 if killed else os.WEXITSTATUS(status),
            "reason": self.reason,
            "oom_kill": after.get("oom_kill", 0) - before.get("oom_kill", 0),
            "pids_max": after.get("max", 0) - before.get("max", 0),
            "stdout": self._sent[wire.STDOUT],
            "stderr": self._sent[wire.STDERR],
            "dropped_stdout": self._dropped[wire.STDOUT],
            "dropped_stderr": self._dropped[wire.STDERR],
            "killed": reaped,
            "microseconds": int((time.monotonic() - started) * 1_000_000),
        }

    def _collect(self, most_files: int, most_bytes: int, since: int) -> int:
        """Let a child send the output files; return how many were refused."""
        left = self._deadline - time.monotonic()
        self._link.drain(max(0.001, min(_WAIT_MS / 1000, left)))
        told, telling = os.pipe2(os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            _collect_and_exit(self._link.sink, telling, most_files, most_bytes, since)
        os.close(telling)
        if wait_until(pid, self._deadline) != 0:
            # Half a frame may be on its way: this stream cannot be trusted any more.
            os._exit(1)
        refused = int(os.read(told, CHUNK))
        os.close(told)
        return refused


def _since(settled: int) -> int:
    from . import files  # noqa: PLC0415 - compiled only where it is needed

    return files.later(settled)


def _collect_and_exit(
    sink: int, telling: int, most_files: int, most_bytes: int, since: int
) -> NoReturn:
    status = 1
    try:
        from . import files  # noqa: PLC0415 - compiled only where it is needed

        collector = files.Collector(sink, most_files, most_bytes, since)
        collector.collect()
        os.write(telling, str(collector.refused).encode())
        status = 0
    finally:
        os._exit(status)


def wait_until(pid: int, deadline: float) -> int | None:
    """Return the wait status of *pid*, or None if it had to be killed at *deadline* (monotonic seconds)."""
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        _signal.sigtimedwait([_signal.SIGCHLD], 0.005)
    os.kill(pid, _signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _empty(pipe: int) -> None:
    try:
        while os.read(pipe, 4096):
            pass
    except BlockingIOError:
        pass
