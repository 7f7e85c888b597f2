"""One task of a workspace: what is sent to PID 1, its input piece by piece, and what came of it."""

from dataclasses import dataclass, field
from enum import IntEnum

from ..pid1 import wire
from .program import Ending
from .stream import StreamError


class TaskKind(IntEnum):
    """What a task's text is."""

    PYTHON = wire.PYTHON
    SHELL = wire.SHELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all tasks of a workspace find; PID 1 is told with each.

    Attributes:
        directory: work directory inside.
        shell: path of the shell inside.
        python: path of the interpreter inside; empty for PID 1's own, which need not start.
        cpu_seconds: CPU time of each process.
        file_bytes: largest file of each process.
        space_bytes: address space of each process; 0 does not limit it.
        scratch: folders inside that are emptied after each task.
        mounts: paths inside at which something of the host is.
        variables: environment beside the container's own.
    """

    directory: str
    shell: str
    python: str = ""
    cpu_seconds: int
    file_bytes: int
    space_bytes: int
    scratch: tuple[str, ...]
    mounts: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def texts(self, text: str) -> bytes:
        """Return the texts of a task frame, in PID 1's order."""
        entries = [f"{name}={value}" for name, value in self.variables]
        parts = [
            self.directory,
            self.shell,
            self.python,
            text,
            *self.scratch,
            *self.mounts,
            *entries,
        ]
        return "\0".join(parts).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task; *stdin* None means that there is no input at all."""

    kind: TaskKind
    text: str = field(repr=False)
    stdin: bytes | None = field(default=None, repr=False)
    output_bytes: int
    surroundings: Surroundings

    def frame(self, seconds: float) -> bytes:
        """Return the frame that starts it, with *seconds* to its deadline."""
        around = self.surroundings
        head = wire.TASK_HEAD.pack(
            seconds,
            self.output_bytes,
            self.kind,
            self.stdin is not None,
            around.cpu_seconds,
            around.file_bytes,
            around.space_bytes,
            len(around.scratch),
            len(around.mounts),
        )
        return wire.pack(wire.TASK, head + around.texts(self.text))


class Feed:
    """A task's input on its way to PID 1, in frames; one without content is the end."""

    def __init__(self, stdin: bytes | None) -> None:
        self._input = memoryview(stdin or b"")
        self._frame = memoryview(b"")
        self._whole = stdin is None

    @property
    def waiting(self) -> memoryview:
        """What is to be sent next; empty when everything was sent."""
        if not self._frame and not self._whole:
            content = self._input[: wire.STDIN_BYTES]
            self._input = self._input[len(content) :]
            self._frame = memoryview(wire.pack(wire.STDIN, bytes(content)))
            self._whole = not content
        return self._frame

    def sent(self, count: int) -> None:
        """Take *count* bytes of what waits as sent."""
        self._frame = self._frame[count:]

    def rest(self) -> bytes:
        """Drop what was not begun, and return what a frame that was begun still lacks."""
        rest, self._frame, self._whole = bytes(self._frame), memoryview(b""), True
        return rest


class TaskResult:
    """What came of one task so far; the output is kept as bytes."""

    def __init__(self) -> None:
        self._streams = {wire.STDOUT: bytearray(), wire.STDERR: bytearray()}
        self.lost = False
        self.broken = False
        self.ending = Ending(gone=True)

    def take(self, kind: bytes, payload: bytes) -> bool:
        """Take one frame; return whether it was the last word. StreamError if it is wrong."""
        if kind == wire.EXIT:
            try:
                self.ending = Ending.parse(wire.parse_facts(payload))
            except (KeyError, ValueError):
                raise StreamError("no ending") from None
            return True
        if kind not in self._streams:
            raise StreamError("out of turn")
        self._streams[kind] += payload
        return False

    @property
    def stdout(self) -> bytes:
        """Its output so far."""
        return bytes(self._streams[wire.STDOUT])

    @property
    def stderr(self) -> bytes:
        """Its error output so far."""
        return bytes(self._streams[wire.STDERR])
