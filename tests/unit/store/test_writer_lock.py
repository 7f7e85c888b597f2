"""One writer at a time, without a file that could be left behind."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import StoreBusy
from harnest_ext.store.writer_lock import writer_lock
from tests.support.waiting import LONG

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = """
import fcntl, os, sys
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def _hold(folder: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_writer_gives_up_after_its_wait(tmp_path: Path) -> None:
    """It exits as busy, and leaves nothing behind."""
    with _hold(tmp_path) as holder:
        begun = time.monotonic()
        with pytest.raises(StoreBusy) as caught, writer_lock(tmp_path, wait=0.2):
            pytest.fail("the lock was held by another process")
        assert time.monotonic() - begun >= 0.2
        holder.communicate()
    assert (caught.value.kind, caught.value.exit_code) == ("busy", 3)
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_waits_is_told_for_what_and_is_next(tmp_path: Path) -> None:
    """It hears once, after a second, and has the lock as soon as the other is done."""
    notices: list[str] = []
    with _hold(tmp_path) as holder:

        def told(notice: str) -> None:
            notices.append(notice)
            holder.communicate()

        begun = time.monotonic()
        with writer_lock(tmp_path, wait=LONG, notice=told):
            assert time.monotonic() - begun >= 1
    assert [str(tmp_path) in notice for notice in notices] == [True]


def test_a_killed_writer_holds_nothing(tmp_path: Path) -> None:
    """The operating system lets go of the lock, whatever ended the process."""
    with _hold(tmp_path) as holder:
        holder.kill()
        holder.communicate()
    with writer_lock(tmp_path, wait=0):
        pass


def test_a_writer_in_the_same_process_is_another_writer(tmp_path: Path) -> None:
    """Two threads of one program are kept apart like two programs."""
    with writer_lock(tmp_path, wait=0), pytest.raises(StoreBusy), writer_lock(tmp_path, wait=0):
        pytest.fail("the lock was held")
