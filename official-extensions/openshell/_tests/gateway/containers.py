"""Sandboxes as containers of this host's Docker daemon, without any network."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LABEL = "harnest-test.gateway"
IMAGE = "harnest-test/openshell"


def docker(*arguments: str, check: bool = True, stdin: bytes = b"") -> str:
    """Run the docker client; return what it prints."""
    done = subprocess.run(
        ["docker", *arguments], input=stdin, capture_output=True, timeout=120, check=False
    )
    if check and done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace")


def make(owner: str, image: str, command: Sequence[str]) -> str:
    """Start a container of an image that has a user ``sandbox``; return its id."""
    run = ["run", "-d", "--init", "--pull", "never", "--network", "none", "--cap-add", "SYS_PTRACE"]
    entry = ["--entrypoint", command[0]]
    label = ["--label", f"{LABEL}={owner}"]
    return docker(*run, *label, *entry, image or IMAGE, *command[1:]).strip()


def remove(container: str) -> None:
    """Remove a container, whatever it does."""
    docker("rm", "-f", container, check=False)


def remove_all(owner: str) -> None:
    """Remove every container of one gateway."""
    left = docker("ps", "-aq", "--filter", f"label={LABEL}={owner}", check=False).split()
    if left:
        docker("rm", "-f", *left, check=False)


def remove_orphans() -> None:
    """Remove the containers of gateways whose processes were killed."""
    shown = f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}'
    listed = docker("ps", "-a", "--filter", f"label={LABEL}", "--format", shown, check=False)
    for line in listed.splitlines():
        container, _, owner = line.partition(" ")
        pid = owner.partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            docker("rm", "-f", container, check=False)


class Running:
    """A command in a container; it may outlive its reader.

    Args:
        container: Where.
        user: Who runs it.
        command: Its arguments.
        stdin: Its input.
        environment: Its variables.
        directory: Where it runs.
    """

    def __init__(
        self,
        container: str,
        user: str,
        command: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        directory: str,
    ) -> None:
        options = [part for item in environment.items() for part in ("-e", "=".join(item))]
        arguments = ["docker", "exec", "-i", "-u", user, "-w", directory, *options, container]
        self._process = subprocess.Popen(
            [*arguments, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._events: Queue[tuple[str, bytes]] = Queue(32)
        self._left = threading.Event()
        self._threads = [
            threading.Thread(target=self._write, args=(stdin,), daemon=True),
            threading.Thread(target=self._read, args=("stdout",), daemon=True),
            threading.Thread(target=self._read, args=("stderr",), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def events(self, wanted: object) -> Iterator[tuple[str, bytes]]:
        """Yield output as it comes, an empty piece of no stream while there is none.

        Args:
            wanted: Called, says whether somebody still listens.
        """
        open_streams = 2
        while open_streams and wanted():  # type: ignore[operator]
            try:
                stream, data = self._events.get(timeout=0.02)
            except Empty:
                yield "", b""
                continue
            if data:
                yield stream, data
            else:
                open_streams -= 1

    def exit_code(self) -> int:
        """Return how the command ended."""
        return self._process.wait()

    def leave(self) -> None:
        """Stop listening. The command goes on inside of its container."""
        self._left.set()
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _write(self, stdin: bytes) -> None:
        pipe = self._process.stdin
        try:
            if pipe is not None:
                view = memoryview(stdin)
                while view:
                    view = view[pipe.write(view[:65536]) :]
                pipe.close()
        except OSError:
            pass  # the command reads no more

    def _read(self, stream: str) -> None:
        pipe = getattr(self._process, stream)
        while True:
            data = os.read(pipe.fileno(), 65536)
            while not self._left.is_set():
                try:
                    self._events.put((stream, data), timeout=0.05)
                    break
                except Exception:  # noqa: BLE001 - the queue is full: ask again
                    continue
            if not data or self._left.is_set():
                return
