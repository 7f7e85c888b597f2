"""Sandboxes as containers of this host's Docker daemon, without any network."""

from __future__ import annotations

import os
import subprocess
import threading
import uuid
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from .agent import Agent

if TYPE_CHECKING:
    from collections.abc import Sequence

LABEL = "harnest-test.gateway"
IMAGE = "harnest-test/openshell"
AHEAD = 3


def docker(*arguments: str, check: bool = True, stdin: bytes = b"") -> str:
    """Run the docker client; return what it prints."""
    done = subprocess.run(
        ["docker", *arguments], input=stdin, capture_output=True, timeout=300, check=False
    )
    if check and done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace")


class Container:
    """A container with its supervisor.

    Args:
        owner: Value of its label.
        image: An image that has a user ``sandbox``; empty for the usual one.
        command: Its main process.

    Attributes:
        name: Its id.
        agent: The supervisor.
    """

    def __init__(self, owner: str, image: str, command: Sequence[str]) -> None:
        self.name = docker(
            "run", "-d", "--init", "--pull", "never", "--network", "none", "--cap-add",
            "SYS_PTRACE", "--label", f"{LABEL}={owner}", "--entrypoint", command[0],
            image or IMAGE, *command[1:],
        ).strip()  # fmt: skip
        self.agent = Agent(self.name)

    def end(self) -> None:
        """End everything in it."""
        docker("kill", self.name, check=False)
        self.agent.close()

    def remove(self) -> None:
        """Remove what is left of it."""
        docker("rm", "-f", "-v", self.name, check=False)


class Stock:
    """Containers, a few of them made before they are asked for, since that takes a while."""

    def __init__(self) -> None:
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="containers")
        self._lock = threading.Lock()
        self._ahead: deque[Future[Container]] = deque()
        self._usual: tuple[str, ...] = ()
        _remove_orphans()

    def take(self, image: str, command: Sequence[str]) -> Container:
        """Return a new container."""
        wish = (image, *command)
        with self._lock:
            self._usual = self._usual or wish
            if wish != self._usual:
                return Container(self._owner, image, command)
            while len(self._ahead) <= AHEAD:
                made = self._pool.submit(Container, self._owner, image, command)
                self._ahead.append(made)
            found = self._ahead.popleft()
        return found.result()

    def drop(self, container: Container) -> None:
        """End everything in a container; it is removed soon."""
        container.end()
        self._pool.submit(container.remove)

    def close(self) -> None:
        """Remove every container."""
        while self._ahead:
            self.drop(self._ahead.popleft().result())
        self._pool.shutdown()


def _remove_orphans() -> None:
    """Remove the containers of processes that were killed."""
    shown = f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}'
    listed = docker("ps", "-a", "--filter", f"label={LABEL}", "--format", shown, check=False)
    for line in listed.splitlines():
        container, _, owner = line.partition(" ")
        pid = owner.partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            docker("rm", "-f", container, check=False)
