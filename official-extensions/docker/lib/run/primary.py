"""Speak with PID 1 of one primary container: its first word, programs, heartbeats."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping

from harnest.sandbox import SandboxFile
from harnest.sandbox.optional import OutputSink, OutputStream
from harnest.sandbox.scope import SandboxControl

from ..daemon.port import Channel, ContainerState, DaemonFault
from ..errors import DockerImageError, DockerProtocolError, DockerStartError, Phase
from ..limits import BEATS_PER_LEASE, CHECK_SECONDS, KILL_GRACE_SECONDS
from ..pid1 import wire
from .incoming import IncomingFiles
from .output import Collected
from .overtime import Overtime
from .program import Ending, Program
from .stream import Demultiplexer, FrameParser, StreamError
from .task import Feed, Task, TaskResult

_SEND_SECONDS = 5.0
_BEAT_SECONDS = 1.0


class PrimaryLost(Exception):
    """PID 1 is gone, and the daemon may know why; or it makes no sense: then *nonsense* is true."""

    def __init__(self, *, nonsense: bool = False) -> None:
        super().__init__("PID 1 is lost")
        self.nonsense = nonsense


class Primary:
    """The attached stream of one primary container."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._demultiplexer = Demultiplexer()
        self._parser = FrameParser()
        self._spoken = time.monotonic()
        self._lease = math.inf
        self.facts: Mapping[str, str] = {}

    @property
    def due(self) -> bool:
        """Whether PID 1 should hear from the host again."""
        return time.monotonic() - self._spoken > self._lease / BEATS_PER_LEASE

    def welcome(self, *, resolver: bool, lease: float) -> None:
        """Say the first word; it may be said before the container runs.

        Without another word PID 1 ends after *lease* seconds of idleness.
        """
        self._lease = lease
        facts: dict[str, object] = {"lease": lease, "resolver": int(resolver)}
        self._send(wire.pack(wire.WELCOME, wire.pack_facts(facts)))

    def wait_for_hello(self, scope: SandboxControl) -> None:
        """Wait for PID 1's first word and keep its facts; PrimaryLost if it ends before."""

        def patience() -> float:
            scope.check()
            return CHECK_SECONDS

        try:
            for kind, payload in self._frames(patience):
                self.facts = _first_word(kind, payload)
                break
        except (StreamError, ValueError):
            raise PrimaryLost(nonsense=True) from None
        if not self.facts:
            raise PrimaryLost

    def beat(self) -> bool:
        """Tell PID 1 that the host lives; return whether it could be told."""
        try:
            self._send(wire.pack(wire.BEAT), _BEAT_SECONDS)
        except PrimaryLost:
            return False
        return True

    def alive(self) -> bool:
        """Return whether the idle container still listens: nothing waits to be read, not even the end."""
        return self._channel.receive(0.0) is None

    def run(
        self,
        program: Program,
        seconds: float,
        overtime: Overtime,
        on_output: OutputSink | None = None,
    ) -> "RunResult":
        """Run *program* for at most *seconds*; PrimaryLost when nothing can be said to PID 1.

        *overtime* looks at least every 50 ms and may raise to give up; the container is then unusable.
        """
        result = RunResult(program, on_output)
        deadline = time.monotonic() + seconds
        self._send_files(program.input_files, seconds)
        left = max(0.001, deadline - time.monotonic())
        head = wire.PROGRAM_HEAD.pack(
            left, program.output_bytes, program.most_files, program.most_file_bytes
        )
        self._send(
            wire.pack(wire.PROGRAM, head + program.code),
            min(_SEND_SECONDS, left + KILL_GRACE_SECONDS),
        )

        self._listen(result, deadline, overtime, Feed(None))
        return result

    def perform(self, task: Task, seconds: float, overtime: Overtime) -> TaskResult:
        """Run *task*, its input included, as :meth:`run` does a program."""
        result, feed = TaskResult(), Feed(task.stdin)
        patience = min(_SEND_SECONDS, seconds + KILL_GRACE_SECONDS)
        deadline = time.monotonic() + seconds
        self._send(task.frame(seconds), patience)
        self._listen(result, deadline, overtime, feed)
        rest = feed.rest()
        if rest and not result.lost:
            try:
                # Half a frame would be taken for a part of the next one.
                self._send(rest)
            except PrimaryLost:
                self.close()
        return result

    def _listen(
        self, result: "RunResult | TaskResult", deadline: float, overtime: Overtime, feed: Feed
    ) -> None:
        """Take frames up to the last word; without one the result is lost."""

        def patience() -> float:
            if overtime.look() and time.monotonic() < deadline:
                self._stop(feed)
            return overtime.left

        try:
            for kind, payload in self._frames(patience, feed):
                if result.take(kind, payload):
                    return
        except StreamError:
            result.broken = True
        result.lost = True

    def _send_files(self, files: tuple[SandboxFile, ...], seconds: float) -> None:
        if not files:
            return
        self._send(wire.pack(wire.INPUT, str(seconds).encode()))
        for file in files:
            name, data = file.name.encode(), file.data
            self._send(wire.FILE_HEAD.pack(len(data), len(name)) + name + data, seconds)
        self._send(wire.FILE_HEAD.pack(0, 0))

    def _frames(
        self, patience: Callable[[], float], feed: Feed | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield frames until the stream ends or *patience*, asked often for seconds, has none left.

        What *feed* has is sent meanwhile.
        """
        while (wait := min(CHECK_SECONDS, patience())) > 0:
            data = self._exchange(feed, wait)
            if data is None:
                continue
            if not data:
                return
            for part in self._demultiplexer.feed(data):
                for frame in self._parser.feed(part):
                    # A receiver of output may be slow: what is late then is not waited for.
                    if patience() <= 0:
                        return
                    yield frame

    def _exchange(self, feed: Feed | None, wait: float) -> bytes | None:
        if feed is None or not feed.waiting:
            return self._channel.receive(wait)
        sent, data = self._channel.exchange(feed.waiting, wait)
        feed.sent(sent)
        return data

    def _stop(self, feed: Feed) -> None:
        """Tell PID 1 to end the program; where it cannot be told, its stream has ended or will."""
        with contextlib.suppress(PrimaryLost):
            self._send(feed.rest() + wire.pack(wire.CANCEL), KILL_GRACE_SECONDS)

    def _send(self, data: bytes, seconds: float = _SEND_SECONDS) -> None:
        try:
            self._channel.send(data, seconds)
            self._spoken = time.monotonic()
        except DaemonFault:
            raise PrimaryLost from None

    def close(self) -> None:
        """End the stream; the container's input ends with it, and so does the container."""
        self._channel.close()


def _first_word(kind: bytes, payload: bytes) -> Mapping[str, str]:
    if kind != wire.HELLO:
        raise StreamError("out of turn")
    return wire.parse_facts(payload)


class RunResult:
    """What came of one program so far."""

    def __init__(self, program: Program, on_output: OutputSink | None) -> None:
        self._streams = {
            wire.STDOUT: Collected(OutputStream.STDOUT, on_output),
            wire.STDERR: Collected(OutputStream.STDERR, on_output),
        }
        self._files = IncomingFiles(program.most_files, program.most_file_bytes)
        self.lost = False
        self.broken = False
        self.ending = Ending(gone=True)

    def take(self, kind: bytes, payload: bytes) -> bool:
        """Take one frame; return whether it was the last word of the run. StreamError if it is wrong."""
        if kind in self._streams:
            self._streams[kind].add(payload)
        elif kind == wire.FILE:
            self._files.begin(payload)
        elif kind == wire.DATA:
            self._files.add(payload)
        elif kind == wire.EXIT:
            try:
                self.ending = Ending.parse(wire.parse_facts(payload))
            except (KeyError, ValueError):
                raise StreamError("no ending") from None
            return True
        else:
            raise StreamError("out of turn")
        return False

    @property
    def stdout(self) -> str:
        """The program's standard output so far; nothing may come afterwards."""
        return self._streams[wire.STDOUT].text()

    @property
    def stderr(self) -> str:
        """The program's standard error so far; nothing may come afterwards."""
        return self._streams[wire.STDERR].text()

    @property
    def files(self) -> tuple[SandboxFile, ...]:
        """The output files that arrived whole."""
        return self._files.whole()


def explain_start(
    state: ContainerState,
) -> DockerProtocolError | DockerStartError | DockerImageError:
    """Return the error for a container that ended before its first word."""
    if state.exit_code == wire.OLD_PYTHON_STATUS:
        return DockerImageError(Phase.VERIFICATION, "the image's Python is older than 3.8")
    if state.oom_killed:
        return DockerStartError(
            Phase.VERIFICATION, "the memory budget is too small to start Python in"
        )
    if state.running:
        return DockerStartError(Phase.VERIFICATION, "the container gives no answer")
    return DockerImageError(
        Phase.VERIFICATION,
        f"the container ended with status {state.exit_code} before its first word; "
        "see that the image's python3 is Python 3.8 or newer",
    )
