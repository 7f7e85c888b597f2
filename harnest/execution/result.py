"""What one call of a backend came to."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ExecutionResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionResult:
    """How a program or command ended, and what it left.

    Attributes:
        stdout: Its output as UTF-8, with U+FFFD for what is no UTF-8.
        stderr: Its error output, likewise.
        exit_code: The program's own, 128 + n after signal n, so 137 where the kernel ended it for
            its memory; None if the backend ended it, for its time or its output, or lost it.
        timed_out: Whether its deadline ended it. An exit code of 124 alone is no time-out.
        memory_exceeded: Whether there is evidence that it ran out of the memory it may have.
        execution_time_ms: Milliseconds from its start to its end, at least 1.
        files_created: Regular files of the work directory that are new or changed, as sorted
            relative paths; a byte of a name that is no UTF-8 is a surrogate as in
            :func:`os.fsdecode`. Calls that run at the same time share that directory, so each
            tells what all of them made while it ran.
        denials: What a policy refused it, one text each.
        truncated: Whether it wrote more than is kept.
        stdout_bytes: Its output as it was written; made from ``stdout`` if left out.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: ``execution_time_ms`` is less than 1, or ``exit_code`` less than 0.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    timed_out: bool = False
    memory_exceeded: bool = False
    execution_time_ms: int = 1
    files_created: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()
    truncated: bool = False
    stdout_bytes: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        _typed("stdout", self.stdout, str)
        _typed("stderr", self.stderr, str)
        _typed("stdout_bytes", self.stdout_bytes, bytes)
        for name in ("timed_out", "memory_exceeded", "truncated"):
            _typed(name, getattr(self, name), bool)
        if self.exit_code is not None:
            _number("exit_code", self.exit_code, 0)
        _number("execution_time_ms", self.execution_time_ms, 1)
        object.__setattr__(self, "files_created", tuple(sorted(_texts(self.files_created))))
        object.__setattr__(self, "denials", _texts(self.denials))
        if self.stdout and not self.stdout_bytes:
            object.__setattr__(self, "stdout_bytes", self.stdout.encode("utf-8", "replace"))

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.timed_out


def _typed(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {kind.__name__}, not {type(value).__name__}")


def _number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise TypeError("files_created and denials must be a list or tuple of texts")
    return tuple(value)
