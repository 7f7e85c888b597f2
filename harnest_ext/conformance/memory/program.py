"""One program in a thread of this process, which can be ended between any two of its lines."""

from __future__ import annotations

import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

from harnest.sandbox.optional import OutputStream
from harnest_ext.conformance.memory.capture import MemoryOutput, writer
from harnest_ext.conformance.memory.world import Exited, build_world

if TYPE_CHECKING:
    from harnest_ext.conformance.memory.files import MemoryFiles

__all__ = ["MemoryProgram"]


class _Ended(BaseException):
    """The program is to end now."""


class MemoryProgram:
    """One run of one program.

    Args:
        code: Its text.
        files: Its scratch directory.
        output: Where its output goes.

    Attributes:
        exit_code: Its exit code; None until it ended by itself.
        over: Set once it runs no more.
    """

    def __init__(self, code: str, files: MemoryFiles, output: MemoryOutput) -> None:
        self._code = code
        self._files = files
        self._output = output
        self._stop = threading.Event()
        self.exit_code: int | None = None
        self.over = threading.Event()
        self._thread = threading.Thread(target=self._main, name="memory-program", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def end(self, seconds: float) -> bool:
        """Make it end; return whether it did within a bound."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def join(self) -> None:
        """Wait for the thread of a program that is over."""
        self._thread.join()

    def _main(self) -> None:
        streams = {
            stream: writer(lambda data, stream=stream: self._write(stream, data))  # type: ignore[misc]
            for stream in OutputStream
        }
        try:
            self.exit_code = self._run(streams[OutputStream.STDOUT], streams[OutputStream.STDERR])
        except _Ended:
            pass
        finally:
            sys.settrace(None)
            self._finish(streams)
            self.over.set()

    def _run(self, stdout: Any, stderr: Any) -> int:
        world = build_world(self._files, stdout, stderr, self._sleep)
        try:
            compiled = compile(self._code, "<string>", "exec", dont_inherit=True)
            sys.settrace(self._trace)
            exec(compiled, world)  # noqa: S102 - to run it is what this is for
        except _Ended:
            raise
        except Exited as end:
            return end.code
        except SystemExit as request:
            return _exit_code(request.code, stderr)
        except BaseException as error:  # noqa: BLE001 - shown as the interpreter shows it
            sys.settrace(None)
            stderr.write(_shown(error))
            return 1
        finally:
            sys.settrace(None)
            world.clear()
        return 0

    def _trace(self, _frame: object, _event: str, _argument: object) -> Any:
        if self._stop.is_set():
            raise _Ended
        return self._trace

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise _Ended

    def _write(self, stream: OutputStream, data: bytes) -> None:
        if self._stop.is_set():
            return
        self._output.feed(stream, data)
        if self._output.overflowed or self._output.sink_error is not None:
            self._stop.set()

    def _finish(self, streams: dict[OutputStream, Any]) -> None:
        for stream, file in streams.items():
            file.flush()
            if not self._stop.is_set():
                self._output.feed(stream, b"", final=True)


def _exit_code(code: object, stderr: Any) -> int:
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    stderr.write(f"{code}\n")
    return 1


def _shown(error: BaseException) -> str:
    trace = error.__traceback__ and error.__traceback__.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))
