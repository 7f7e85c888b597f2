"""What a supervisor tells: parsed strictly, since a program of the same user could try to forge it.

Lines: ``started PID``, ``refused WHAT [WHY] ERRNO``, ``memory``, and at the end
``ended HOW STATUS CPU_MS KILLED LEFT``.
"""

from __future__ import annotations

from dataclasses import dataclass

from harnest.execution.local import limits

__all__ = ["End", "Reporter"]

_ENDINGS = ("exit", "deadline", "stop", "host")


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a program ended.

    Attributes:
        ending: ``exit`` by itself; ended at the ``deadline``, by a ``stop`` or with its ``host``.
        exit_code: Exit code, or 128 + the signal that ended it; None if that is not known.
        signal: That signal; 0 for none.
        cpu_ms: CPU time of the program and the children it waited for, in milliseconds.
        killed: Processes that were still running and were killed.
        left: Processes that could not be killed.
    """

    ending: str
    exit_code: int | None
    signal: int
    cpu_ms: int
    killed: int
    left: int


class Reporter:
    """Collects the lines of one supervisor.

    Attributes:
        pid: The program's process, 0 until it was started.
        memory_exceeded: Whether Python in it gave up for want of address space.
        refused: Why the supervisor did not run the program; empty if it did.
        end: How the program ended; None until it did.
    """

    def __init__(self) -> None:
        self._data = b""
        self._read = 0
        self.pid = 0
        self.memory_exceeded = False
        self.refused = ""
        self.end: End | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more is to be expected."""
        return bool(self.refused) or self.end is not None

    def feed(self, data: bytes) -> None:
        """Take bytes of the report.

        Raises:
            ValueError: They are no report.
        """
        self._read += len(data)
        if self._read > limits.REPORT_BYTES:
            raise ValueError("the report is too long")
        *lines, self._data = (self._data + data).split(b"\n")
        for line in lines:
            self._take(line.decode("ascii", "replace").split(" "))

    def _take(self, words: list[str]) -> None:
        match words:
            case ["started", pid] if not self.pid:
                self.pid = _number(pid)
            case ["refused", *reason] if reason:
                self.refused = " ".join(reason)
            case ["memory"]:
                self.memory_exceeded = True
            case ["ended", ending, status, *numbers] if ending in _ENDINGS and len(numbers) == 3:
                self.end = _end(ending, status, *map(_number, numbers))
            case _:
                raise ValueError("not a line of a report")


def _end(ending: str, status: str, cpu_ms: int, killed: int, left: int) -> End:
    code, signal = (None, 0) if status == "-1" else _decoded(_number(status))
    return End(
        ending=ending, exit_code=code, signal=signal, cpu_ms=cpu_ms, killed=killed, left=left
    )


def _decoded(status: int) -> tuple[int, int]:
    """Split a wait status (``wait(2)``: exit code in the high byte, else the signal in 7 bits)."""
    signal = status & 0x7F
    return (128 + signal, signal) if signal else (status >> 8 & 0xFF, 0)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise ValueError("not a number")
    return int(text)
