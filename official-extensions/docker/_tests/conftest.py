"""What the tests of the Docker extension share: providers that are closed, and eyes on the daemon.

Images come from ``scripts/test-images``; where no daemon answers, tests that need one say so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from harnest.extensions.docker import DockerSandboxProvider, docker
from harnest.extensions.docker.lib.errors import DockerCleanupError
from hypothesis import HealthCheck, settings

from harnest.sandbox import SandboxContext, SandboxRequest, SandboxResult, SandboxStatus, control
from harnest.sandbox.metadata import sandbox_metadata_to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workspaces import Shop

    from harnest.sandbox.scope import SandboxControl

Result = TypeVar("Result")

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("slow", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("slow")
IDENTITY = SandboxContext(
    agent_name="agent", user_id="user", session_id="session", invocation_id="invocation"
)
FOREVER = "print('on', flush=True)\nimport time\ntime.sleep(600)"
"""A program that says that it runs, and never ends while a test looks."""
AMPLE = 60.0
"""What comes within so many seconds waited for no program that never ends, however slow the machine."""


def until(holds: Callable[[], object], seconds: float = AMPLE) -> bool:
    """Wait until *holds*, looking often; return whether it did in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def patiently(
    attempt: Callable[[int], Result], enough: Callable[[Result], object], *, first: int = 1
) -> Result:
    """Attempt something with a deadline of *first* seconds, and while it was not *enough* with twice as many.

    *enough* tells by other evidence than what is tested whether the machine got that far in time. What the
    fifth attempt gave is returned as it is.
    """
    for doubled in range(5):
        result = attempt(first << doubled)
        if enough(result):
            break
    return result


class Box:
    """One provider, and short ways to run programs in it."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("image", "harnest-test/python")
        options.setdefault("timeout_seconds", 300)
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

    def overdue(self, code: str, **options: Any) -> SandboxResult:
        """Run a program, which says something and then does not end, into its deadline."""
        heard: list[str] = []

        def attempt(seconds: int) -> SandboxResult:
            heard.clear()
            request = SandboxRequest(
                code=code, timeout_seconds=seconds, **{"context": IDENTITY, **options}
            )
            started = time.monotonic()
            result = self.provider.execute_streaming(request, lambda _, text: heard.append(text))
            assert time.monotonic() - started < seconds + AMPLE
            return result

        result = patiently(attempt, lambda _: heard)
        assert (result.status, result.exit_code) == (SandboxStatus.TIMED_OUT, None)
        assert (meta(result)["phase"], meta(result)["reason"]) == ("execution", "deadline")
        return result

    @contextmanager
    def held(self, code: str = FOREVER, **options: Any) -> Iterator[Held]:
        """Let a program run from its first output to the end of the block."""
        held = Held(self.provider, SandboxRequest(code=code, **{"context": IDENTITY, **options}))
        try:
            yield held
        finally:
            held.cancel()

    @property
    def waiting(self) -> int:
        """How many topologies wait in the pool."""
        return len(self.provider._engine.household._pool._ready)

    @property
    def alive(self) -> int:
        """How many idle containers there are whose end has not come to this process."""
        household = self.provider._engine.household
        slots = list(household.retention._slots.values())
        idle = [*household._pool._ready, *(slot.topology for slot in slots)]
        return sum(topology is not None and topology.alive for topology in idle)

    @property
    def queued(self) -> int:
        """How many calls wait for a place."""
        return len(self.provider._engine._gate._waiting)

    def close(self) -> None:
        """Close the provider: again, where a slow daemon has not removed all in the time of one attempt."""
        assert until(self._closed)

    def _closed(self) -> bool:
        try:
            self.provider.close()
        except DockerCleanupError:
            return False
        return True


class Held:
    """A call in a thread of its own, whose program has said something; and what came of it."""

    def __init__(self, provider: DockerSandboxProvider, request: SandboxRequest) -> None:
        self.outcome: SandboxResult | BaseException | None = None
        self._provider, self._request = provider, request
        self._scopes: list[SandboxControl] = []
        self._began = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._began.wait(AMPLE), self.outcome

    def _run(self) -> None:
        with control.execute(600) as scope:
            self._scopes.append(scope)
            try:
                self.outcome = self._provider.execute_streaming(
                    self._request, lambda *_: self._began.set()
                )
            except Exception as error:  # noqa: BLE001 - for the test to look at
                self.outcome = error

    def cancel(self) -> None:
        """Cancel the call and wait for its end."""
        self._scopes[0].cancelled.set()
        self.wait()

    def wait(self) -> None:
        """Wait for the call's end."""
        self._thread.join(AMPLE)
        assert not self._thread.is_alive()


def meta(result: SandboxResult) -> dict[str, Any]:
    """Return a result's metadata as a dict."""
    return sandbox_metadata_to_dict(result.metadata)


def phases(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the phases that have ended so far, those that ended well alone."""
    told = [vars(record) for record in list(caplog.records)]
    return [
        item["harnest.docker.phase"]
        for item in told
        if item.get("harnest.docker.phase") and item["harnest.docker.status"] == "ok"
    ]


def command(*arguments: str) -> str:
    """Run the docker client and return what it prints."""
    done = subprocess.run(
        ["docker", *arguments], capture_output=True, text=True, timeout=120, check=True
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


@pytest.fixture
def shop(daemon: None) -> Iterator[Callable[..., Shop]]:
    """Open workspaces; after the test they are closed, and nothing more of this process may be left."""
    from workspaces import Shop  # noqa: PLC0415 - only who opens one needs it

    opened: list[Shop] = []
    before = set(ours())

    def make(**options: Any) -> Shop:
        opened.append(Shop(**options))
        return opened[-1]

    yield make
    for item in opened:
        item.close()
    assert set(ours()) <= before


@pytest.fixture(scope="module")
def python(daemon: None) -> Iterator[Box]:
    """One box of fresh containers for a whole module."""
    one = Box()
    yield one
    one.close()
    assert ours() == []
