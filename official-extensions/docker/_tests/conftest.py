"""What the tests of the Docker extension share: providers that are closed, and eyes on the daemon.

Images come from ``scripts/test-images``; where no daemon answers, tests that need one say so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerSandboxProvider, docker

from harnest.sandbox import SandboxContext, SandboxRequest, SandboxResult
from harnest.sandbox.metadata import sandbox_metadata_to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

sys.path.insert(0, str(Path(__file__).parent))
IDENTITY = SandboxContext(
    agent_name="agent", user_id="user", session_id="session", invocation_id="invocation"
)


class Box:
    """One provider, and short ways to run programs in it."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("image", "harnest-test/python")
        options.setdefault("timeout_seconds", 60)
        self.sandbox = docker.sandbox(**options)
        self.provider: DockerSandboxProvider = self.sandbox.build()

    def run(self, code: str, **options: Any) -> SandboxResult:
        """Run a program as the provider's own caller."""
        options.setdefault("context", IDENTITY)
        return self.provider.execute(SandboxRequest(code=code, **options))

    def facts(self, code: str, **options: Any) -> Any:
        """Run a program that must succeed, and return what it printed as JSON on its last line."""
        result = self.run(code, **options)
        assert result.status.value == "succeeded", (result.stdout, result.stderr, meta(result))
        return json.loads(result.stdout.splitlines()[-1])

    @property
    def waiting(self) -> int:
        """How many topologies wait in the pool."""
        return len(self.provider._engine.household._pool._ready)

    def close(self) -> None:
        """Close the provider."""
        self.provider.close()


def meta(result: SandboxResult) -> dict[str, Any]:
    """Return a result's metadata as a dict."""
    return sandbox_metadata_to_dict(result.metadata)


def command(*arguments: str) -> str:
    """Run the docker client and return what it prints."""
    done = subprocess.run(
        ["docker", *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def ours(pid: int | None = None) -> list[str]:
    """Return ids of the containers and networks that a process of ours owns."""
    owner = f".{os.getpid() if pid is None else pid}."
    shown = '{{.ID}} {{.Label "dev.harnest.owner"}}'
    lines = command("ps", "-a", "--format", shown).splitlines()
    lines += command("network", "ls", "--format", shown).splitlines()
    return [line.split()[0] for line in lines if owner in line]


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.fixture(scope="session")
def daemon() -> None:
    """A daemon that answers and has the test images; otherwise the test is skipped, with the reason."""
    try:
        images = command("image", "ls", "--format", "{{.Repository}}")
    except (OSError, subprocess.SubprocessError):
        pytest.skip("no Docker daemon answers (scripts/docker-up starts one)")
    missing = {f"harnest-test/{name}" for name in ("python", "redis", "postgres", "user")}
    if missing - set(images.split()):
        pytest.skip("the test images are not built (scripts/test-images builds them)")


@pytest.fixture
def box(daemon: None) -> Iterator[Callable[..., Box]]:
    """Make boxes; after the test they are closed, and nothing of this process may be left."""
    boxes: list[Box] = []
    before = set(ours())

    def make(**options: Any) -> Box:
        boxes.append(Box(**options))
        return boxes[-1]

    yield make
    for item in boxes:
        item.close()
    assert set(ours()) <= before


@pytest.fixture(scope="module")
def python(daemon: None) -> Iterator[Box]:
    """One box of fresh containers for a whole module."""
    one = Box()
    yield one
    one.close()
    assert ours() == []


def until(holds: Callable[[], bool], seconds: float) -> bool:
    """Wait until *holds*, looking often; return whether it did in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
