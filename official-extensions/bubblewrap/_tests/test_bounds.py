"""How much programs may use."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_bubblewrap.extension import BubblewrapLimits
from harnest_extension_bubblewrap.lib.bounds import Counting, counting

from harnest.execution.local.bounds import bounds_memory

from .support import marked, request

if TYPE_CHECKING:
    from collections.abc import Callable

    from .support import Room

MIB = 1 << 20
GREEDY = f"""
held = []
for number in range(40):
    held.append(bytearray(16 * {MIB}))
print('had it all')
"""


def test_tmp_is_bounded(make: Callable[..., Any]) -> None:
    """What doesn't fit is refused, and what fits is there."""
    provider = make(limits=BubblewrapLimits(tmp_bytes=4 * MIB))
    code = f"""
import errno
written = 0
try:
    with open('/tmp/fill', 'wb', buffering=0) as file:
        for _ in range(64):
            written += file.write(bytes({MIB} // 4))
except OSError as error:
    print(errno.errorcode[error.errno], written)
"""
    name, written = provider.execute(request(code)).stdout.split()
    assert name == "ENOSPC"
    assert 3 * MIB < int(written) <= 4 * MIB


@pytest.mark.parametrize(("place", "most"), [("/dev/shm", 64 * MIB), ("/dev", 0), ("/run", 0)])
def test_no_other_memory_can_be_filled_as_files(room: Room, place: str, most: int) -> None:
    """/dev/shm is bounded; the other folders that are memory are read-only."""
    code = f"""
import json
written = 0
try:
    with open('{place}/fill', 'wb', buffering=0) as file:
        for _ in range(80):
            written += file.write(bytes({MIB}))
except OSError:
    pass
print(json.dumps(written))
"""
    assert room.tell(code) <= most


def test_a_file_that_is_too_large_is_refused(open_room: Callable[..., Room]) -> None:
    """In the work directory as anywhere."""
    room = open_room(max_file_size_mb=1)
    result = room.shell("dd if=/dev/zero of=big bs=64k count=64 2>&1; ls -l big | cut -d' ' -f5")
    assert result.stdout.split()[-1] == str(MIB).encode()


def test_cpu_time_is_bounded_and_told(make: Callable[..., Any]) -> None:
    """A program that computes too long is ended by that limit, not by its deadline."""
    result = make(limits=BubblewrapLimits(cpu_seconds=1)).execute(request("while True: pass"))
    assert (result.status.value, result.metadata["reason"]) == ("failed", "cpu_limit")


def test_a_flood_of_output_is_cut_and_its_program_ended(open_room: Callable[..., Room]) -> None:
    """Both streams together are held to the budget."""
    room = open_room(max_output_bytes=10_000)
    result = room.shell("while :; do echo flood; echo flood >&2; done")
    assert (result.exit_code, result.truncated, result.timed_out) == (None, True, False)
    assert len(result.stdout) + len(result.stderr) == 10_000


def test_a_program_cannot_have_more_processes_than_its_bound(room: Room) -> None:
    """Whatever counts them; the program itself stops at 400, should nothing do."""
    if not counting().exact:
        pytest.skip("nothing counts a sandbox's processes on this host")
    code = """
import json, os, time
made = 0
try:
    for _ in range(400):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError as error:
    print(json.dumps([made, error.errno]))
else:
    print(json.dumps([made, 0]))
"""
    made, error = room.tell(code)
    assert error == 11  # EAGAIN
    assert 200 < made <= 256


def test_a_fork_bomb_is_bounded_and_gone(room: Room) -> None:
    """It neither delays the deadline nor leaves anything; only where a group holds it for sure."""
    if counting() is not Counting.GROUP:
        pytest.skip("only a control group, checked before, makes this safe to try")
    mark = f"mark-{secrets.token_hex(8)}"
    bomb = """
import os
with open("/proc/self/cgroup") as file:
    assert "harnest" in file.read() or os.path.exists("/proc/self/ns/cgroup")
open("begun", "x").close()
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
    result = room.late(room.shell, f"exec python3 -c '{bomb}' {mark}")
    assert result.timed_out
    assert marked(mark) == []


def test_a_bound_on_processes_is_refused_where_nothing_counts_them(
    make: Callable[..., Any],
) -> None:
    """A declaration that can't be kept builds nothing; one that can is kept."""
    limits = BubblewrapLimits(processes=8)
    if not counting().exact:
        with pytest.raises(Exception, match="processes"):
            make(limits=limits)
        return
    code = """
import os, time
made = 0
try:
    for _ in range(50):
        if os.fork() == 0:
            time.sleep(30)
        made += 1
except OSError:
    print(made)
"""
    assert int(make(limits=limits).execute(request(code)).stdout) == 7


@pytest.mark.skipif(not bounds_memory(), reason="no control group can bound memory here")
def test_memory_is_bounded_and_its_end_is_told_by_evidence(open_room: Callable[..., Room]) -> None:
    """A program that takes too much is ended for that; one that merely says 137 is not."""
    room = open_room(max_memory_mb=64)
    greedy = room.python(GREEDY)
    assert greedy.memory_exceeded
    assert b"had it all" not in greedy.stdout
    assert not greedy.timed_out
    liar = room.shell("exit 137")
    assert (liar.exit_code, liar.memory_exceeded) == (137, False)
    assert room.python("print('fits')").stdout == b"fits\n"


@pytest.mark.skipif(not bounds_memory(), reason="no control group can bound memory here")
def test_too_little_memory_to_begin_is_told_as_that(open_room: Callable[..., Room]) -> None:
    """A bound in which not even bwrap fits is no missing right of the host's."""
    result = open_room(max_memory_mb=1).shell("echo on")
    assert (result.memory_exceeded, result.exit_code) == (True, None)


@pytest.mark.skipif(not bounds_memory(), reason="no control group can bound memory here")
def test_files_in_tmp_count_as_memory(open_room: Callable[..., Room]) -> None:
    """A program can't hold more than its memory by writing it to /tmp."""
    room = open_room(max_memory_mb=48)
    result = room.shell("dd if=/dev/zero of=/tmp/fill bs=1M count=96; exit 0")
    assert result.memory_exceeded


def test_a_bound_on_memory_is_kept_or_refused(make: Callable[..., Any]) -> None:
    """Asked for by name it is never silently dropped."""
    limits = BubblewrapLimits(memory_bytes=64 * MIB)
    if not bounds_memory():
        with pytest.raises(Exception, match="memory"):
            make(limits=limits)
        return
    result = make(limits=limits).execute(request(GREEDY))
    assert (result.status.value, result.metadata["reason"]) == ("failed", "out_of_memory")


def test_what_is_promised_says_whether_it_holds_here(room: Room) -> None:
    """The rows of amounts are true of this host."""
    rows = {row.name: row.holds for row in room.engine.guarantees}
    assert rows["memory"] is bounds_memory()
    assert rows["processes"] is counting().exact
    others = {name: holds for name, holds in rows.items() if name not in {"memory", "processes"}}
    assert set(others.values()) == {True}
    assert len(rows) >= 14
