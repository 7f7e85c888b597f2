"""Run one task of a workspace: Python or a command, in the work directory, with input and limits of its own.

Only the work directory lasts: every scratch folder is emptied after each task.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the part without enum, which costs milliseconds
import os
import resource
import select
import time

from . import child, run, scratch, wire

TYPE_CHECKING = False  # importing typing would cost each start milliseconds
if TYPE_CHECKING:
    from typing import NoReturn

BACKLOG_BYTES = 1 << 18
"""Input held for a program that does not read before no more is taken from the host, in bytes."""
_INTERPRET = (
    b"__import__('sys').path.append(__import__('os').getcwd());"
    b"exec(compile(__import__('os').fdopen(%d, 'rb').read(), '<string>', 'exec'))"
)
_CANNOT_RUN = 126
_NOT_FOUND = 127


class Task(run.Run):
    """One task, from fork to empty scratch folders."""

    def perform(self, payload: bytes) -> None:
        """Run the task of one frame and tell the host everything about it."""
        started = time.monotonic()
        seconds, self._budget, *numbers = wire.TASK_HEAD.unpack_from(payload)
        self._kind, self._reads, self._cpu, self._file, self._space, scratches, mounts = numbers
        self._deadline = started + seconds
        texts = payload[wire.TASK_HEAD.size :].split(b"\0")
        self._directory, self._shell, self._python, self._text = texts[:4]
        emptied, texts = texts[4 : 4 + scratches], texts[4 + scratches :]
        mounted, self._variables = texts[:mounts], texts[mounts:]
        self._input = self._source = -1
        self._backlog = bytearray()
        self._whole = False
        before = [_identity(path) for path in mounted]
        facts = self._supervise(started, self._become)
        self._end_input()
        # A program may have moved folders about in which something is mounted: nobody is to meet that.
        facts["spoiled"] = int([_identity(path) for path in mounted] != before)
        self._link.send(wire.EXIT, wire.pack_facts(facts))
        for path in emptied:
            scratch.clear(os.fsdecode(path))

    def _start(self, become: run.Become) -> None:
        if self._reads:
            self._source, self._input = os.pipe2(os.O_CLOEXEC)
            os.set_blocking(self._input, False)
        super()._start(become)
        if self._source >= 0:
            os.close(self._source)

    def _become(self, stdout: int, stderr: int) -> NoReturn:
        status = 1
        try:
            source = self._source if self._reads else os.open("/dev/null", os.O_RDONLY)
            child.detach(source, stdout, stderr)
            self._limit()
            for entry in self._variables:
                name, _, value = entry.partition(b"=")
                os.environb[name] = value
            status = self._enter() or self._begin()
        finally:
            os._exit(status)

    def _limit(self) -> None:
        # The program is told first, and killed a second later.
        resource.setrlimit(resource.RLIMIT_CPU, (self._cpu, self._cpu + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._file, self._file))
        if self._space:
            resource.setrlimit(resource.RLIMIT_AS, (self._space, self._space))

    def _enter(self) -> int:
        try:
            os.chdir(self._directory)
        except OSError as error:
            return _complain("the work directory can't be entered", error)
        return 0

    def _begin(self) -> int:
        if self._kind == wire.PYTHON:
            return self._interpret()
        # What the interpreter ignores for itself would be ignored by every command too.
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
            _signal.signal(number, _signal.SIG_DFL)
        text = self._text
        if text[:1] in (b"-", b"+"):
            # Not an option of the shell.
            text = b" " + text
        return _execute(self._shell, [b"-c", text])

    def _interpret(self) -> int:
        if not self._python:
            return child.run(self._text)
        # A program may be longer than any argument.
        file = os.memfd_create("program", 0)
        with open(file, "wb", closefd=False) as program:
            program.write(self._text)
        os.lseek(file, 0, os.SEEK_SET)
        return _execute(self._python, [b"-I", b"-c", _INTERPRET % file])

    # --- input ----------------------------------------------------------------------------------

    def _serve(self, source: int) -> None:
        if source == self._input:
            self._feed()
        else:
            super()._serve(source)

    def _heard(self, kind: bytes, payload: bytes) -> None:
        if kind != wire.STDIN:
            super()._heard(kind, payload)
        elif self._input >= 0:
            self._backlog += payload
            self._whole = self._whole or not payload
            self._feed()

    def _feed(self) -> None:
        """Write what the program takes now."""
        try:
            while self._backlog:
                with memoryview(self._backlog) as view:
                    count = os.write(self._input, view[: run.CHUNK])
                del self._backlog[:count]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._end_input()
        if self._whole and not self._backlog:
            self._end_input()
        self._await_room()

    def _await_room(self) -> None:
        """Watch for room in the pipe while something waits for it, and hear the host while there is room."""
        if self._backlog:
            self._poller.register(self._input, select.POLLOUT)
        else:
            self._unwatch()
        hearing = len(self._backlog) < BACKLOG_BYTES
        self._poller.modify(self._link.source, select.POLLIN if hearing else 0)

    def _end_input(self) -> None:
        """Close the pipe; what comes later is dropped."""
        self._backlog.clear()
        self._unwatch()
        if self._input >= 0:
            os.close(self._input)
        self._input = -1

    def _unwatch(self) -> None:
        # Watched without anything to write, a pipe that nobody reads would wake PID 1 for ever.
        try:
            self._poller.unregister(self._input)
        except (KeyError, ValueError):
            pass


def _execute(path: bytes, arguments: list[bytes]) -> int:
    try:
        os.execv(path, [path, *arguments])  # noqa: S606 - what was asked for, and nothing else
    except OSError as error:
        return _complain("{} can't be started".format(os.fsdecode(path)), error)


def _identity(path: bytes) -> tuple[int, int] | None:
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _complain(what: str, error: OSError) -> int:
    os.write(2, "harnest: {}: {}\n".format(what, error.strerror).encode())
    return _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN
