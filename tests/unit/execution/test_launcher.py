"""Local programs whose supervisor is started by a launcher."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harnest.execution.local import (
    Capture,
    Ended,
    Launcher,
    LaunchError,
    LocalProgram,
    ProgramBounds,
    run_local,
)
from harnest.execution.local.bounds import parents
from harnest.sandbox import control
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="descendants are found on Linux only"
)

FORKING = ("/bin/sh", "-c", '"$@"; exit $?', "sh")
"""Starts what follows as a child of its own and waits for it."""


def run(work: Path, code: str, prefix: tuple[str, ...], **environment: str) -> tuple[Ended, str]:
    """What came of a program behind a launcher, and its output."""
    launcher = Launcher(prefix=prefix, directory=str(work), environment=environment)
    program = LocalProgram(code=code, work=str(work), environment={}, launcher=launcher)
    capture = Capture(10_000)
    with control.execute(240) as scope:
        ended = run_local(program, group=ProgramBounds().group(), capture=capture, scope=scope)
    return ended, capture.text(OutputStream.STDOUT)


def test_a_launcher_starts_the_supervisor_with_its_own_environment(tmp_path: Path) -> None:
    """Exit codes and output pass; what the launcher adds is there."""
    code = "import os, sys; print(os.environ['ADDED'], os.environ['GIVEN']); sys.exit(7)"
    ended, output = run(tmp_path, code, ("/usr/bin/env", "ADDED=yes"), GIVEN="too")
    assert (ended.exit_code, output) == (7, "yes too\n")


def test_a_launcher_that_ends_before_the_program_begins_is_an_error(tmp_path: Path) -> None:
    """Its exit code is no program's; what it said is kept apart from the message."""
    with pytest.raises(LaunchError) as failure:
        run(tmp_path, "print(1)", ("/bin/sh", "-c", "echo no way in >&2; exit 1"))
    assert failure.value.detail == "no way in"
    assert "no way in" not in str(failure.value)
    assert failure.value.phase == "start"


@pytest.mark.skipif(parents().pids is None, reason="no control group can be made here")
def test_what_a_launcher_has_started_already_is_in_the_group(tmp_path: Path) -> None:
    """The program is, whether its supervisor was started before or after the adoption."""
    code = "print('harnest-process' in open('/proc/self/cgroup').read())"
    for _ in range(5):
        assert run(tmp_path, code, FORKING)[1] == "True\n"


def test_a_program_behind_a_launcher_is_preferred_when_memory_runs_out(tmp_path: Path) -> None:
    """The kernel ends it rather than the process that runs it."""
    code = "print(open('/proc/self/oom_score_adj').read().strip())"
    assert run(tmp_path, code, FORKING)[1] == "1000\n"


def test_orphans_that_have_ended_do_not_pile_up(tmp_path: Path) -> None:
    """More of them than there may be processes come and go while the program runs."""
    code = """
import os, pathlib, time
reading, writing = os.pipe()
for _ in range(20):
    for _ in range(20):
        if os.fork() == 0:
            if os.fork() == 0:
                os.write(writing, b'%d ' % os.getpid())
            os._exit(0)
        os.wait()
    orphans, told = [], b''
    while told.count(b' ') < 20:
        told += os.read(reading, 1000)
    while any(pathlib.Path(f'/proc/{pid}').exists() for pid in told.decode().split()):
        time.sleep(0.01)
print('all')
"""
    ended, output = run(tmp_path, code, ())
    assert (ended.exit_code, output, ended.refused_processes) == (0, "all\n", 0)
