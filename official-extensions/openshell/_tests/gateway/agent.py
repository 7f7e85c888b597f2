"""The supervisor of a sandbox: one process inside that runs every command of the service.

It is spoken to in frames over its input and output. A frame is the number of a command, a letter,
the number of bytes that follow, and those bytes:

- to it: ``R`` runs a command, ``A`` says that a piece of its output was taken, ``L`` that nobody
  listens to it any more; it goes on all the same;
- from it: ``o`` and ``e`` are pieces of output, an empty one the end of a stream, ``x`` the exit
  code. The first frame says that it is there.
"""

from __future__ import annotations

import contextlib
import json
import struct
import subprocess
import threading
from queue import Empty, Queue
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HEAD = struct.Struct(">IcI")
PIECES = 32
"""Pieces of a command's output that are on their way at once."""

SUPERVISOR = (
    f"PIECES = {PIECES}\n"
    r"""
import json, os, pwd, struct, subprocess, sys, threading

HEAD, SENDING, ROOM, LEFT = struct.Struct(">IcI"), threading.Lock(), {}, set()


def send(number, letter, data=b""):
    with SENDING:
        sys.stdout.buffer.write(HEAD.pack(number, letter, len(data)) + data)
        sys.stdout.buffer.flush()


def relay(number, letter, pipe):
    while True:
        data = os.read(pipe.fileno(), 65536)
        if number not in LEFT:
            ROOM[number].acquire()
            send(number, letter, data)
        if not data:
            return


def feed(pipe, data):
    try:
        pipe.write(data)
        pipe.close()
    except OSError:
        pass


def run(number, wish, stdin):
    user = pwd.getpwnam(wish["user"])
    environment = {**os.environ, "HOME": user.pw_dir, **wish["environment"]}
    environment.pop("LC_CTYPE", None)  # Python's own
    try:
        child = subprocess.Popen(
            wish["command"], env=environment, cwd=wish["directory"], start_new_session=True,
            user=user.pw_uid, group=user.pw_gid, extra_groups=[], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
    except OSError as error:
        send(number, b"e", str(error).encode())
        for letter in (b"e", b"o"):
            send(number, letter)
        return send(number, b"x", b"127")
    threading.Thread(target=feed, args=(child.stdin, stdin), daemon=True).start()
    threads = [
        threading.Thread(target=relay, args=(number, b"o", child.stdout)),
        threading.Thread(target=relay, args=(number, b"e", child.stderr)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    code = child.wait()
    send(number, b"x", str(code if code >= 0 else 128 - code).encode())


send(0, b"x")
while head := sys.stdin.buffer.read(HEAD.size):
    number, letter, size = HEAD.unpack(head)
    data = sys.stdin.buffer.read(size)
    if letter == b"R":
        ROOM[number] = threading.Semaphore(PIECES)
        wish, _, stdin = data.partition(b"\0")
        threading.Thread(target=run, args=(number, json.loads(wish), stdin)).start()
    elif letter == b"A":
        ROOM[number].release()
    else:
        LEFT.add(number)
        ROOM[number].release(PIECES)
os._exit(0)
"""
)


class Agent:
    """The supervisor of one container.

    Args:
        container: Where it runs.

    Raises:
        RuntimeError: It can't be started.
    """

    def __init__(self, container: str) -> None:
        self._process = subprocess.Popen(
            ["docker", "exec", "-i", "-u", "0", container, "python3", "-c", SUPERVISOR],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lock = threading.Lock()
        self._running: dict[int, Running] = {}
        self._count = 0
        self._gone = False
        if len(_pipe(self._process.stdout).read(HEAD.size)) < HEAD.size:
            raise RuntimeError("the supervisor can't be started")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def run(
        self,
        user: str,
        command: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        directory: str,
    ) -> Running:
        """Run a command; it may outlive its reader."""
        wish = {
            "user": user,
            "command": list(command),
            "environment": dict(environment),
            "directory": directory,
        }
        with self._lock:
            self._count += 1
            number = self._count
            made = Running(lambda letter: self._tell(number, letter))
            if self._gone:
                made.lost()
            self._running[number] = made
        self._tell(number, b"R", json.dumps(wish).encode() + b"\0" + stdin)
        return made

    def close(self) -> None:
        """Let it end, and wait for that."""
        with self._lock, contextlib.suppress(BrokenPipeError):
            _pipe(self._process.stdin).close()
        self._process.wait()
        self._thread.join()

    def _tell(self, number: int, letter: bytes, data: bytes = b"") -> None:
        with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
            pipe = _pipe(self._process.stdin)
            pipe.write(HEAD.pack(number, letter, len(data)) + data)
            pipe.flush()

    def _read(self) -> None:
        with _pipe(self._process.stdout) as pipe:
            while len(head := pipe.read(HEAD.size)) == HEAD.size:
                number, letter, size = HEAD.unpack(head)
                self._running[number].take(letter, pipe.read(size))
                if letter == b"x":
                    del self._running[number]
        with self._lock:
            self._gone = True
            for running in self._running.values():
                running.lost()


class Running:
    """A command in a container.

    Args:
        tell: Sends a frame without content about it.
    """

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self._tell = tell
        self._events: Queue[tuple[bytes, bytes]] = Queue()

    def take(self, letter: bytes, data: bytes) -> None:
        """Take a frame about it."""
        self._events.put((letter, data))

    def lost(self) -> None:
        """Note that nothing more will be known of it."""
        self._events.put((b"x", b""))

    def events(self, wanted: Callable[[], bool]) -> Iterator[tuple[str, bytes | int | None]]:
        """Yield output as it comes, then the exit code: None if the container is over.

        Args:
            wanted: Says whether somebody still listens.
        """
        while wanted():
            try:
                letter, data = self._events.get(timeout=0.05)
            except Empty:
                yield "", b""
                continue
            if letter == b"x":
                yield "exit", int(data) if data else None
                return
            self._tell(b"A")
            if data:
                yield ("stdout" if letter == b"o" else "stderr"), data

    def leave(self) -> None:
        """Stop listening. The command goes on inside of its container."""
        self._tell(b"L")


def _pipe(pipe: IO[Any] | None) -> IO[Any]:
    assert pipe is not None, "it was asked for"
    return pipe
