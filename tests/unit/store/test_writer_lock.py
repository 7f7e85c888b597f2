"""One writer at a time, without a file that could be left behind."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import StoreBusy
from harnest_ext.store.writer_lock import writer_lock

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


def test_a_second_writer_is_told_and_gives_up_in_time(tmp_path: Path) -> None:
    """It hears after a second what it waits for, exits as busy, and leaves nothing behind."""
    notices: list[str] = []
    with _hold(tmp_path) as holder:
        with (
            pytest.raises(StoreBusy) as caught,
            writer_lock(tmp_path, wait=1.3, notice=notices.append),
        ):
            pytest.fail("the lock was held by another process")
        holder.communicate()
    assert (caught.value.kind, caught.value.exit_code) == ("busy", 3)
    assert [str(tmp_path) in notice for notice in notices] == [True]
    assert list(tmp_path.iterdir()) == []


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
