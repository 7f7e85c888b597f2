"""The building blocks under tiers whose programs are processes of this host."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution.local import (
    Capture,
    Ended,
    Ending,
    LocalProgram,
    LocalProgramError,
    ProgramBounds,
    answered,
    effective,
    run_local,
    sealed,
    workdir,
)
from harnest.execution.local.bounds import bounds_memory, parents
from harnest.execution.local.cgroup import ControlGroup
from harnest.execution.local.report import Reporter
from harnest.sandbox import control
from harnest.sandbox.optional import OutputStream
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="asserts on what /proc shows"
)

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def ended(work: Path, **options: Any) -> tuple[Ended, bytes]:
    """Run a program; return how it ended and its output."""
    memory = options.pop("memory_bytes", None)
    bounds = ProgramBounds(memory_bytes=memory)
    capture = Capture(1 << 20)
    program = LocalProgram(work=str(work), environment=ENVIRONMENT, **options)
    with control.execute(240) as scope:
        end = run_local(program, group=bounds.group(), capture=capture, scope=scope)
    return end, capture.data(OutputStream.STDOUT)


def shell(command: str) -> tuple[str, ...]:
    """The command line of a command."""
    return ("/bin/sh", "-c", command)


def test_what_is_sealed_can_only_be_read_and_has_no_name() -> None:
    """By its descriptor, and by opening that anew."""
    with sealed(b"content") as descriptor:
        assert os.read(descriptor, 100) == b"content"
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(descriptor, b"x")
        with pytest.raises(PermissionError):
            os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_TRUNC)
        assert os.fstat(descriptor).st_nlink == 0
        assert os.get_inheritable(descriptor) is False
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_nothing_sealed_is_the_null_device() -> None:
    """It ends at once and swallows nothing."""
    with sealed(None) as descriptor:
        assert os.read(descriptor, 1) == b""


def test_a_command_line_gets_its_input_its_descriptors_and_nothing_else(tmp_path: Path) -> None:
    """Input on 0; what is passed keeps its number; no other descriptor is open."""
    with sealed(b"in") as stdin, sealed(b"more") as extra:
        code = (
            "import os; folder = os.open('/proc/self/fd', os.O_RDONLY)\n"
            f"print(os.read(0, 9), os.read({extra}, 9))\n"
            "print(sorted(set(map(int, os.listdir(folder))) - {folder}))"
        )
        argv = (sys.executable, "-I", "-c", code)
        end, output = ended(tmp_path, argv=argv, stdin=stdin, pass_fds=(extra,))
    assert end.exit_code == 0
    # Listing a descriptor makes a copy of it for the time being.
    seen, listed = output.decode().splitlines()
    assert seen == "b'in' b'more'"
    assert set(map(int, listed[1:-1].split(","))) - {3, 4} == {0, 1, 2, extra} - {3, 4}


def test_an_executable_that_is_missing_is_an_error_of_the_start(tmp_path: Path) -> None:
    """Not an exit code that some program could have returned."""
    with pytest.raises(LocalProgramError, match="executable 2") as caught:
        ended(tmp_path, argv=("/nonexistent",))
    assert caught.value.phase == "start"


def test_a_pipe_that_is_closed_ends_its_writer(tmp_path: Path) -> None:
    """The signals that Python ignores are back for other programs."""
    end, output = ended(tmp_path, argv=shell("yes | head -n 1"))
    assert (end.exit_code, output) == (0, b"y\n")


@pytest.mark.parametrize("options", [{}, {"code": "1", "argv": ("/bin/true",)}])
def test_a_program_is_code_or_a_command_line(options: dict[str, Any]) -> None:
    """Neither none nor both."""
    with pytest.raises(ValueError, match="either"):
        LocalProgram(work="/", environment={}, **options)


@pytest.mark.skipif(not bounds_memory(), reason="no control group can bound memory here")
def test_the_kernels_count_tells_that_memory_ran_out(tmp_path: Path) -> None:
    """Of the group that the program was in, which is gone afterwards."""
    end, _ = ended(tmp_path, code="x = b'x' * (200 << 20)", memory_bytes=64 << 20)
    assert (end.memory_exceeded, end.exit_code) == (True, 137)
    end, _ = ended(tmp_path, code="raise SystemExit(137)", memory_bytes=64 << 20)
    assert (end.memory_exceeded, end.exit_code) == (False, 137)
    memory = parents().memory
    assert memory is not None
    assert list(memory.glob(f"harnest-process-{os.getpid()}-*")) == []


@pytest.fixture
def freezer() -> Iterator[Path]:
    """A control group that can hold up its processes, their ends included."""
    folder = Path(f"/sys/fs/cgroup/freezer/harnest-test-{os.getpid()}")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("no control group can hold up processes here")
    yield folder
    (folder / "freezer.state").write_text("THAWED")
    folder.rmdir()


@pytest.mark.skipif(parents().pids is None, reason="no control group can be made here")
def test_a_group_is_removed_though_its_processes_take_their_time_to_end(freezer: Path) -> None:
    """On a busy machine what was killed ends later: it is waited for, and no group stays."""
    state = freezer / "freezer.state"
    thaw = threading.Timer(1, state.write_text, ["THAWED"])
    with subprocess.Popen(["/bin/sleep", "600"]) as process:
        try:
            group = ControlGroup(parents(), processes=1)
            group.adopt(process.pid)
            (freezer / "cgroup.procs").write_text(str(process.pid))
            state.write_text("FROZEN")
            until(lambda: state.read_text() == "FROZEN\n")
            thaw.start()
            assert group.kill()
        finally:
            thaw.cancel()
            state.write_text("THAWED")
            process.kill()


def test_limits_hold_for_command_lines(tmp_path: Path) -> None:
    """They are set before it begins."""
    limits = effective({"RLIMIT_NOFILE": 77})
    _, output = ended(tmp_path, argv=shell("ulimit -n"), limits=limits)
    assert output == b"77\n"


def test_an_answer_tells_what_ended_a_program() -> None:
    """Only what ended by itself has an exit code."""
    capture = Capture(2)
    capture.feed(OutputStream.STDOUT, b"abc")
    late = answered(Ended(end=None, ending=Ending.DEADLINE), capture, seconds=0)
    assert (late.timed_out, late.exit_code, late.stdout) == (True, None, b"ab")
    assert (late.truncated, late.execution_time_ms) == (True, 1)
    lost = answered(Ended(end=None, ending=Ending.LOST), Capture(1), seconds=1.5)
    assert (lost.timed_out, lost.exit_code, lost.execution_time_ms) == (False, None, 1500)


def test_a_report_can_tell_of_memory() -> None:
    """In a line of its own before the end."""
    reporter = Reporter()
    reporter.feed(b"started 7\nmemory\nended exit 256 3 0 0\n")
    assert reporter.memory_exceeded
    assert reporter.end is not None
    assert reporter.end.exit_code == 1


def test_a_work_directory_tells_whose_it_is() -> None:
    """Under its prefix only; it is removed whatever lies in it."""
    path = workdir.make("harnest-unit-test")
    (path / "a").mkdir()
    (path / "a" / "b").touch()
    (path / "a").chmod(0)
    [item] = [i for i in workdir.leftovers("harnest-unit-test") if i.pid == os.getpid()]
    assert (item.path, item.alive) == (path, True)
    assert [i for i in workdir.leftovers("harnest-unit") if i.path == path] == []
    assert workdir.remove(path)
    assert not path.exists()
