"""Many calls in a row and at once leave nothing behind and cost the last what they cost the first.

The counts are short ones, for every run; ``HARNEST_ENDURANCE=long`` makes them what a release is held to:

=====================================  =====  =====
what                                   short  long
=====================================  =====  =====
calls of one session, in a row          1000   1000
fresh containers from a pool, in a row    16   1000
calls of eight sessions at once          200    200
fresh containers at once                  16    200
topologies with a network, in a row        8    300
=====================================  =====  =====
"""

from __future__ import annotations

import ctypes
import gc
import os
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerScope, docker

from conftest import Box, meta, open_descriptors, ours, until
from harnest.sandbox import SandboxContext

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(3600)]
LONG = os.environ.get("HARNEST_ENDURANCE") == "long"
FLAT_BYTES = 4 << 20
"""Resident memory may differ by so much: the allocator's own slack, not calls that are kept."""

LARGE = """\
import re
from harnest.extensions.docker import docker
from harnest.sandbox import SandboxRequest

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10

box = docker.sandbox(image="harnest-test/python", max_output_bytes=50 << 20).build()
box.execute(SandboxRequest(code="print(1)"))
open("/proc/self/clear_refs", "w").write("5")
before = peak()
result = box.execute(SandboxRequest(code="import os\\nfor _ in range(50): os.write(1, b'x' * (1 << 20))"))
print(peak() - before, len(result.stdout))
box.close()
"""


class Held:
    """What this process holds: descriptors, threads, memory."""

    def __init__(self) -> None:
        gc.collect()
        # What was freed goes back to the system, so that it does not look kept.
        ctypes.CDLL(None).malloc_trim(0)
        self.descriptors = open_descriptors()
        self.threads = threading.active_count()
        # Of files the kernel takes pages back and reads them again as it likes.
        status = Path("/proc/self/status").read_text()
        self.resident = sum(
            int(line.split()[1]) << 10
            for line in status.splitlines()
            if line.startswith(("RssAnon:", "VmSwap:"))
        )

    def assert_no_more_now(self, *, descriptors: int = 0, flat: int = FLAT_BYTES) -> None:
        """Compare this earlier moment with now; what just ends in the background is waited for."""
        now = Held()

        def settled() -> bool:
            nonlocal now
            now = Held()
            more = now.descriptors - self.descriptors
            return more <= descriptors and now.threads <= self.threads

        assert until(settled), (vars(self), vars(now))
        assert now.resident - self.resident < flat


def session(number: int) -> SandboxContext:
    """Return the identity of a session."""
    return SandboxContext(agent_name="a", user_id="u", session_id=f"s{number}")


def start_interpreter() -> float:
    """Return the seconds that a start of this interpreter takes."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
    return time.perf_counter() - started


def test_a_thousand_calls_of_a_session_stay_as_fast_and_leave_nothing(
    box: Callable[..., Box], capsys: pytest.CaptureFixture[str]
) -> None:
    """One container serves them all; the medians of the first and the last hundred are printed."""
    one = box(scope=DockerScope.SESSION)
    took, reference = [], []
    before = None
    for number in range(1000):
        started = time.perf_counter()
        result = one.run(f"print({number})")
        took.append(time.perf_counter() - started)
        assert result.stdout == f"{number}\n"
        if number % 10 == 0 and (number < 100 or number >= 900):
            reference.append(start_interpreter())
        if number == 100:
            before = Held()
    assert before is not None
    before.assert_no_more_now()
    assert len(ours()) == 1
    first, last = statistics.median(took[:100]), statistics.median(took[-100:])
    # The machine may be slower by then for other reasons: a host interpreter is started beside it.
    slower = statistics.median(reference[10:]) / statistics.median(reference[:10])
    with capsys.disabled():
        print(  # noqa: T201 - a measure, and no assertion on time
            f"\na session of 1000 calls: first 100 {first * 1000:.1f} ms, last 100 {last * 1000:.1f} ms, "
            f"ratio {last / first:.2f}; of the host interpreter's start {slower:.2f}"
        )


def test_fresh_containers_from_a_pool_in_a_row_leave_nothing(box: Callable[..., Box]) -> None:
    """Every call has a container of its own, and the process holds no more after the last."""
    one = box(warm=2)
    one.run("print(0)")
    assert until(lambda: one.waiting == 2)
    seen: set[Any] = set()
    before = None
    count = 1000 if LONG else 16
    for number in range(count):
        result = one.run(f"import os; print({number}, os.listdir('/tmp'))")
        assert result.stdout == f"{number} []\n"
        seen.add(meta(result)["topology"])
        if number == count // 5:
            assert until(lambda: one.waiting == 2)
            before = Held()
    assert len(seen) == count
    assert until(lambda: one.waiting == 2 and len(ours()) == 2)
    assert before is not None
    before.assert_no_more_now()


def test_calls_of_eight_sessions_at_once_leave_nothing(box: Callable[..., Box]) -> None:
    """Two hundred calls in two hundred threads: each has its own answer, each session one container."""
    one = box(scope=DockerScope.SESSION, max_scopes=8)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: one.run("print(1)", context=session(number)), range(8)))
    before = Held()
    with ThreadPoolExecutor(200) as threads:
        texts = threads.map(
            lambda number: one.run(f"print({number})", context=session(number % 8)).stdout,
            range(200),
        )
        assert list(texts) == [f"{number}\n" for number in range(200)]
    before.assert_no_more_now()
    assert len(ours()) == 8


def test_fresh_containers_at_once_leave_nothing(box: Callable[..., Box]) -> None:
    """Calls beyond ``max_concurrency`` wait their turn; afterwards nothing is there."""
    one = box(timeout_seconds=600)
    one.run("print(1)")
    before = Held()
    count = 200 if LONG else 16
    with ThreadPoolExecutor(count) as threads:
        texts = threads.map(lambda number: one.run(f"print({number})").stdout, range(count))
        assert list(texts) == [f"{number}\n" for number in range(count)]
    assert ours() == []
    # Idle connections to the daemon are kept for the next calls, two descriptors at most for each.
    before.assert_no_more_now(descriptors=2 * 16, flat=FLAT_BYTES * 2)
    one.close()
    before.assert_no_more_now(flat=FLAT_BYTES * 2)


def test_much_output_costs_its_size_and_little_more(daemon: None) -> None:
    """A process that takes 50 MiB of output grows by that and at most 8 MiB while it does."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    grown, size = map(int, done.stdout.split())
    assert size == 50 << 20
    assert grown <= size + (8 << 20)


def test_topologies_in_a_row_do_not_exhaust_addresses(box: Callable[..., Box]) -> None:
    """Every topology's network is removed with it: the next one always finds a subnet."""
    one = box(
        services=[
            docker.service(
                name="other",
                image="harnest-test/python",
                command=["python3", "-c", "import time; time.sleep(600)"],
            )
        ]
    )
    before = None
    count = 300 if LONG else 8
    for number in range(count):
        result = one.run("import socket; print(bool(socket.gethostbyname('other')))")
        assert result.stdout == "True\n", (number, result.stderr, meta(result))
        if number == count // 4:
            before = Held()
    assert before is not None
    before.assert_no_more_now()
    assert ours() == []
