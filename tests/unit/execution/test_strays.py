"""What the host kills in place of a supervisor: the program's processes, and nobody else's."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest.execution.local.strays import Traces, kill_strays
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="asserts on what /proc shows"
)
ORPHAN = "sleep 600 >/dev/null 2>&1 </dev/null & echo $!"
"""A command that leaves a process without a parent, and tells its number."""


@contextlib.contextmanager
def sleeping(folder: Path, **options: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the user's that is at work in a folder."""
    with subprocess.Popen(["/bin/sleep", "600"], cwd=folder, **options) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def orphan_in(folder: Path) -> int:
    """Leave a process in a folder that has lost what started it; return its number."""
    done = subprocess.run(["/bin/sh", "-c", ORPHAN], cwd=folder, check=True, capture_output=True)
    return int(done.stdout)


def is_running(pid: int) -> bool:
    """Whether a process has not ended; one that nobody reaped has."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def test_being_in_the_work_directory_is_no_evidence(tmp_path: Path) -> None:
    """A shell of the user's, and the program of another call, stay as they are."""
    with sleeping(tmp_path) as before:
        traces = Traces.of(str(tmp_path), ())
        with sleeping(tmp_path) as other:
            assert kill_strays(traces, session=0) == 0
            assert before.poll() is None
            assert other.poll() is None


def test_an_orphan_from_before_is_not_the_program_s(tmp_path: Path) -> None:
    """A daemon of the user's in the same folder stays as well."""
    pid = orphan_in(tmp_path)
    try:
        # The kernel counts hundredths of a second: one that began in the same is not told apart.
        traces = Traces(work=str(tmp_path), pipes=frozenset(), since=began(pid) + 1)
        assert kill_strays(traces, session=0) == 0
        assert is_running(pid)
    finally:
        os.kill(pid, signal.SIGKILL)


def test_what_holds_the_output_is_killed(tmp_path: Path) -> None:
    """Wherever it is, whoever started it."""
    reading, writing = os.pipe()
    try:
        traces = Traces.of(str(tmp_path / "elsewhere"), (writing,))
        with sleeping(tmp_path, stdout=writing) as holder:
            assert kill_strays(traces, session=0) > 0
            assert holder.wait() == -signal.SIGKILL
    finally:
        os.close(reading)
        os.close(writing)


def test_a_detached_process_of_the_program_is_killed(tmp_path: Path) -> None:
    """It closed its output and lost its parent, and it is in the work directory."""
    traces = Traces.of(str(tmp_path), ())
    pid = orphan_in(tmp_path)
    parent = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    try:
        if parent != 1:
            pytest.skip("another process than the first adopts orphans here")
        assert kill_strays(traces, session=0) > 0
        until(lambda: not is_running(pid))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def began(pid: int) -> int:
    """When a process began, as the kernel counts."""
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
