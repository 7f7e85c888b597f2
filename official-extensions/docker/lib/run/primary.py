"""Speak with PID 1 of one primary container: its first word, programs, heartbeats."""

import time
from collections.abc import Callable, Iterator, Mapping

from harnest.sandbox import SandboxFile
from harnest.sandbox.optional import OutputSink, OutputStream
from harnest.sandbox.scope import SandboxControl

from ..daemon.port import Channel, ContainerState, DaemonFault
from ..errors import DockerImageError, DockerProtocolError, DockerStartError, Phase
from ..limits import CHECK_SECONDS, KILL_GRACE_SECONDS, LEASE_SECONDS
from ..pid1 import wire
from .incoming import IncomingFiles
from .output import Collected
from .program import Ending, Program
from .stream import Demultiplexer, FrameParser, StreamError

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
        self.facts: Mapping[str, str] = {}

    @property
    def silent_seconds(self) -> float:
        """How long nothing was said to PID 1."""
        return time.monotonic() - self._spoken

    def welcome(self, *, resolver: bool) -> None:
        """Say the first word; it may be said before the container runs."""
        facts: dict[str, object] = {"lease": LEASE_SECONDS, "resolver": int(resolver)}
        self._send(wire.pack(wire.WELCOME, wire.pack_facts(facts)))

    def wait_for_hello(self, scope: SandboxControl) -> None:
        """Wait for PID 1's first word and keep its facts; PrimaryLost if it ends before."""
        try:
            for kind, payload in self._frames(scope.check):
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
        check: Callable[[], None],
        on_output: OutputSink | None = None,
    ) -> "RunResult":
        """Run *program* for at most *seconds*; PrimaryLost when PID 1 says nothing in time.

        *check* is called at least every 50 ms and may raise to give up; the container is then unusable.
        """
        result = RunResult(program, on_output)
        deadline = time.monotonic() + seconds
        self._send_files(program.input_files, seconds)
        left = max(0.001, deadline - time.monotonic())
        patience = min(_SEND_SECONDS, left + KILL_GRACE_SECONDS)
        head = wire.PROGRAM_HEAD.pack(
            left, program.output_bytes, program.most_files, program.most_file_bytes
        )
        self._send(wire.pack(wire.PROGRAM, head + program.code), patience)
        try:
            for kind, payload in self._frames(check, deadline + KILL_GRACE_SECONDS):
                if result.take(kind, payload):
                    return result
        except StreamError:
            result.broken = True
        result.lost = True
        return result

    def _send_files(self, files: tuple[SandboxFile, ...], seconds: float) -> None:
        if not files:
            return
        self._send(wire.pack(wire.INPUT, str(seconds).encode()))
        for file in files:
            name, data = file.name.encode(), file.data
            self._send(wire.FILE_HEAD.pack(len(data), len(name)) + name + data, seconds)
        self._send(wire.FILE_HEAD.pack(0, 0))

    def _frames(
        self, check: Callable[[], None], until: float | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield frames until the stream ends or *until* (monotonic) passes."""
        while True:
            check()
            wait = CHECK_SECONDS
            if until is not None:
                wait = min(wait, until - time.monotonic())
                if wait <= 0:
                    return
            data = self._channel.receive(wait)
            if data is None:
                continue
            if not data:
                return
            for part in self._demultiplexer.feed(data):
                for frame in self._parser.feed(part):
                    # A receiver of output may be slow: what is late then is not waited for.
                    if until is not None and time.monotonic() >= until:
                        return
                    yield frame

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
