"""A workspace's calls: what they read and print, how they end, and what never outlives them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from workspaces import Shop

from conftest import AMPLE, ours, until
from harnest.execution import WorkspaceClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.docker
MIB = 1 << 20


@pytest.fixture(scope="module")
def one(daemon: None) -> Iterator[Shop]:
    """One workspace for many short calls."""
    shop = Shop(
        timeout_seconds=300, max_memory_mb=128, max_file_size_mb=2, environment={"GIVEN": "a b"}
    )
    yield shop
    shop.close()


def test_commands_and_programs_work_in_the_same_folder(one: Shop) -> None:
    """What a command writes a program reads, and the host finds both."""
    assert one.sh("printf 'made here' > note; pwd").stdout == "/workspace\n"
    result = one.py("import os; print(os.getcwd(), open('note').read()); open('more', 'w')")
    assert (result.stdout, result.files_created) == ("/workspace made here\n", ("more",))
    assert (one.directory / "note").read_text() == "made here"


def test_a_module_of_the_work_directory_is_imported_after_the_standard_library(one: Shop) -> None:
    """A file in the work directory is importable, and cannot shadow what comes with Python."""
    (one.directory / "json.py").write_text("raise SystemExit('shadowed')")
    (one.directory / "mine.py").write_text("VALUE = 7")
    assert one.py("import json, mine; print(mine.VALUE)").stdout == "7\n"


@pytest.mark.parametrize("status", [0, 1, 2, 124, 125, 126, 127, 128, 137, 143, 255])
def test_a_program_s_own_status_is_told_as_it_is(one: Shop, status: int) -> None:
    """No exit code of a program's own is taken for a time-out or a lack of memory."""
    for result in (one.sh(f"exit {status}"), one.py(f"raise SystemExit({status})")):
        assert (result.exit_code, result.timed_out, result.memory_exceeded) == (
            status,
            False,
            False,
        )
        assert result.execution_time_ms >= 1


def test_a_signal_is_128_and_its_number(one: Shop) -> None:
    """A program that kills itself, even by SIGKILL, has not run out of memory."""
    for number in (9, 11, 15):
        result = one.py(f"import os; os.kill(os.getpid(), {number})")
        assert (result.exit_code, result.memory_exceeded) == (128 + number, False)
        assert one.sh(f"kill -{number} $$").exit_code == 128 + number


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 3 * MIB + 1, 40 * MIB])
def test_input_arrives_whole(one: Shop, size: int) -> None:
    """Every byte of the input is read, however many they are, and then its end."""
    data = os.urandom(size)
    result = one.sh("sha256sum", stdin=data)
    assert result.stdout.split()[0] == hashlib.sha256(data).hexdigest()


def test_input_comes_back_byte_by_byte(shop: Callable[..., Shop]) -> None:
    """What goes in and out at the same time is the same, also when nobody reads for a while."""
    data = os.urandom(8 * MIB)
    one = shop(max_output_bytes=9 * MIB)
    assert one.sh("cat", stdin=data).stdout_bytes == data
    assert one.sh("sleep 0.3; cat", stdin=data).stdout_bytes == data


def test_input_that_nobody_wants_is_dropped(one: Shop) -> None:
    """A program may end, or close its input, before it has read it; the next call gets its own."""
    data = os.urandom(5 * MIB)
    assert one.sh("exec <&-; sleep 0.1; echo done", stdin=data).stdout == "done\n"
    for _ in range(20):
        assert one.sh("head -c 1 >/dev/null", stdin=data).exit_code == 0
        assert one.sh("wc -c", stdin=b"abc").stdout.strip() == "3"


def test_without_input_there_is_none(one: Shop) -> None:
    """Who reads without input finds its end at once."""
    assert one.sh("cat; echo end").stdout == "end\n"
    assert one.py("import sys; print(repr(sys.stdin.read()))").stdout == "''\n"
    assert one.sh("readlink /proc/self/fd/0").stdout == "/dev/null\n"


def test_output_is_bytes_and_text(one: Shop) -> None:
    """What is no UTF-8 is replaced in the text and kept in the bytes."""
    result = one.sh(r"printf 'a\377b\303\244'; printf 'err' >&2")
    assert (result.stdout, result.stdout_bytes) == ("a\ufffdb\xe4", b"a\xffb\xc3\xa4")
    assert result.stderr == "err"


def test_a_command_may_begin_like_an_option(one: Shop) -> None:
    """A text that begins with a dash is a command, not an option of the shell."""
    assert one.sh("-x; echo on").stdout == "on\n"
    assert one.sh("+x; echo on").stdout == "on\n"


def test_a_long_command_and_a_longer_program_run(one: Shop) -> None:
    """A command of the largest size runs, and so does a program of many times that."""
    filler = "#" * (128 * 1024 - 20)
    assert one.sh(f"echo on\n{filler}").stdout == "on\n"
    assert one.py(f"print('on')\n#{'x' * (15 * MIB)}").stdout == "on\n"


def test_the_environment_is_what_was_given(one: Shop) -> None:
    """Configured variables are there, for Python too, beside a few of the container's own."""
    assert one.sh('echo "$GIVEN $HOME $TMPDIR"').stdout == "a b /tmp /tmp\n"
    assert one.py("import os; print(os.environ['GIVEN'])").stdout == "a b\n"
    names = set(one.sh("env | cut -d= -f1").stdout.split())
    assert names <= {
        *("GIVEN", "HOME", "TMPDIR", "USER", "LOGNAME", "PATH", "HOSTNAME", "PWD", "_"),
        *("MPLCONFIGDIR", "XDG_CACHE_HOME", "SHLVL", "OLDPWD", "LC_CTYPE"),
    }


def test_a_broken_pipe_ends_a_command_as_usual(one: Shop) -> None:
    """Signals that Python ignores for itself have their usual effect in commands."""
    assert one.out("yes | head -n 1; grep SigIgn /proc/self/status") == (
        "y\nSigIgn:\t0000000000000000\n"
    )


def test_calls_in_a_row_start_no_container(one: Shop) -> None:
    """A call that ended well leaves its container to the next one."""
    assert one.sh("echo x").stdout == "x\n"
    before = ours()
    for _ in range(20):
        assert one.sh("echo x").stdout == "x\n"
    assert ours() == before


# --- deadlines and what is left -----------------------------------------------------------------


def test_a_deadline_keeps_what_was_printed(one: Shop) -> None:
    """At its deadline a call returns what it wrote so far."""
    result = one.overdue("echo part; echo more >&2; touch printed; sleep 600", "printed")
    assert (result.stdout, result.stderr) == ("part\n", "more\n")


def test_input_that_waits_delays_no_deadline(one: Shop) -> None:
    """A program that does not read its input ends at its deadline like any other."""
    data = b"x" * (40 * MIB)
    assert one.overdue("echo on; touch said; sleep 600", "said", stdin=data).stdout == "on\n"
    assert one.sh("wc -c", stdin=b"abc").stdout.strip() == "3"


def test_a_detached_child_with_the_pipes_delays_no_deadline(one: Shop) -> None:
    """Sessions of their own that hold the output open, and ignore signals, are dead at the deadline."""
    code = (
        "import os, signal, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "            while True:\n"
        "                time.sleep(0.05); open('alive', 'a').write('x')\n"
        "        os._exit(0)\n"
        "print('on', flush=True)\n"
        "while not os.path.exists('alive'): time.sleep(.01)\n"
        "open('said', 'w')\n"
        "time.sleep(600)\n"
    )
    (one.directory / "detach.py").write_text(code)
    assert one.overdue("python3 detach.py", "said").stdout == "on\n"
    assert quiet(one.directory / "alive")


def quiet(file: Path) -> bool:
    """Return whether *file* does not grow for longer than the loops pause that write to it."""
    size = file.stat().st_size
    time.sleep(0.3)
    return 0 < size == file.stat().st_size


def test_no_background_process_outlives_its_call(one: Shop) -> None:
    """Children in the background, detached twice, are dead when the call returns, and it does not wait."""
    script = "nohup sh -c 'while :; do echo x >> late; sleep 0.05; done' >/dev/null 2>&1 &"
    await_it = "while [ ! -s late ]; do sleep 0.01; done; echo gone"
    assert one.out(f'(setsid sh -c "{script}" &) ; {await_it}') == "gone\n"
    assert quiet(one.directory / "late")
    assert one.out("sleep 600 & echo on") == "on\n"
    assert int(one.out("ls /proc | grep -c '^[0-9]*$'")) <= 5


def test_scratch_is_empty_in_every_call(one: Shop) -> None:
    """Nothing in /tmp or /dev/shm, however deep or closed, outlives its call."""
    deep = (
        "import os\n"
        "for top in ('/tmp', '/dev/shm'):\n"
        "    os.chdir(top)\n"
        "    for _ in range(1500):\n"
        "        os.mkdir('d' * 50); os.chdir('d' * 50)\n"
        "    open('end', 'w')\n"
        "    os.chdir(top)\n"
        "    os.mkdir('closed'); open('closed/x', 'w'); os.chmod('closed', 0)\n"
        "    os.symlink('/workspace', 'link')\n"
        "print('made')"
    )
    (one.directory / "kept").write_text("kept")
    assert one.py(deep).stdout == "made\n"
    assert one.out("ls -A /tmp /dev/shm | wc -w; cat kept").split() == ["2", "kept"]


def test_closed_scratch_folders_are_open_again_in_the_next_call(one: Shop) -> None:
    """A program that takes its own access to /tmp and /dev/shm away harms no later call."""
    assert one.sh("echo x > /tmp/x; chmod 0 /tmp /dev/shm").exit_code == 0
    assert one.out("ls -A /tmp /dev/shm | wc -w; echo x > /tmp/x; echo x > /dev/shm/x") == "2\n"


def test_a_closed_work_directory_is_open_again_in_the_next_call(one: Shop) -> None:
    """A program that takes its own access to the work directory away harms no later call either."""
    assert one.sh("chmod 0 /workspace").exit_code == 0
    assert one.sh("echo on").stdout == "on\n"


def test_a_deadline_of_years_is_one(shop: Callable[..., Shop]) -> None:
    """The longest that can be configured, which is more than the kernel waits at a stretch."""
    assert shop(timeout_seconds=1_000_000_000).sh("echo on").stdout == "on\n"


# --- bounds -------------------------------------------------------------------------------------


def test_output_is_bounded_and_kept_up_to_the_bound(shop: Callable[..., Shop]) -> None:
    """A flood ends its program; what was within the bound is returned, and the workspace goes on."""
    one = shop(max_output_bytes=1000)
    for text in ("yes", "yes >&2"):
        result = one.sh(text)
        assert (len(result.stdout) + len(result.stderr), result.truncated) == (1000, True)
        assert (result.exit_code, result.timed_out) == (None, False)
    assert one.sh("echo on").stdout == "on\n"


def test_memory_is_bounded_and_its_lack_is_evidence(one: Shop) -> None:
    """Who takes too much is killed and that is told; who is killed otherwise is not said to have."""
    result = one.py("print('on', flush=True); x = bytearray(400 << 20)")
    assert (result.memory_exceeded, result.stdout, result.timed_out) == (True, "on\n", False)
    assert result.exit_code == 137
    child = one.sh("python3 -c 'x = bytearray(400 << 20)'; echo after $?")
    assert (child.memory_exceeded, child.stdout, child.exit_code) == (True, "after 137\n", 0)
    within = one.py("x = bytearray(60 << 20); print(len(x))")
    assert (within.exit_code, within.memory_exceeded) == (0, False)
    assert not one.sh("kill -9 $$").memory_exceeded


def test_a_large_address_space_is_no_memory(one: Shop) -> None:
    """Runtimes that reserve many times their memory, as node does, can start."""
    code = "import mmap; print(len(mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | 0x4000)))"
    assert one.py(code).stdout == f"{4 << 30}\n"


def test_address_space_is_limited_when_asked_for(shop: Callable[..., Shop]) -> None:
    """With ``limit_address_space`` a reservation over the memory fails inside the program."""
    one = shop(limit_address_space=True)
    code = "import mmap; mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | 0x4000)"
    result = one.py(code)
    assert (result.exit_code, result.memory_exceeded) == (1, False)
    assert "Cannot allocate memory" in result.stderr


def test_cpu_time_is_bounded_for_each_process(shop: Callable[..., Shop]) -> None:
    """A process that computes for longer than it may is ended by the kernel, which is no time-out."""
    one = shop(timeout_seconds=300, max_cpu_seconds=1)
    result = one.sh("while :; do :; done")
    assert (result.exit_code, result.timed_out) == (128 + 24, False)
    assert one.py("while True: pass").exit_code == 128 + 24


def test_file_size_is_bounded(one: Shop) -> None:
    """No file grows beyond the bound, and what was written up to it stays."""
    result = one.sh("head -c 3000000 /dev/zero > big; echo $?; stat -c %s big")
    assert result.stdout.split()[-1] == str(2 * MIB)
    python = one.py("open('huge', 'wb').write(b'x' * 3000000)")
    assert (python.exit_code, "File too large" in python.stderr) == (1, True)


def test_processes_are_bounded(shop: Callable[..., Shop]) -> None:
    """A call that forks without end gets no further than its bound, and nothing of it is left."""
    one = shop(timeout_seconds=300)
    code = (
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "    while made < 2000:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(600)\n"
        "        made += 1\n"
        "except OSError:\n"
        "    print(made)\n"
    )
    assert 100 < int(one.py(code).stdout) < 256
    assert one.sh("echo on").stdout == "on\n"


# --- calls beside each other --------------------------------------------------------------------


def test_calls_run_beside_each_other_and_share_the_folder_alone(shop: Callable[..., Shop]) -> None:
    """Calls at the same time see each other's files in the work directory, and nothing else of each other."""
    one = shop(timeout_seconds=300)

    async def both() -> list[Any]:
        first = "while [ ! -s flag ]; do sleep 0.01; done; cat flag; ls -A /tmp; ls /proc | grep -c '^[0-9]*$'; touch seen"
        second = "echo mine > /tmp/mine; echo set > flag; while [ ! -e seen ]; do sleep 0.01; done"
        return await asyncio.gather(*map(one.workspace.execute_command, (first, second)))

    first, _ = one.run(both())
    said, count = first.stdout.split()
    assert said == "set"
    assert int(count) <= 5


def test_as_many_programs_at_once_keep_their_code_apart(shop: Callable[..., Shop]) -> None:
    """Calls at the same time each run their own code, however many they are."""
    one = shop(timeout_seconds=300)

    async def many() -> list[Any]:
        return await asyncio.gather(*(one.workspace.execute(f"print({n})") for n in range(24)))

    assert [result.stdout for result in one.run(many())] == [f"{n}\n" for n in range(24)]


def test_waiting_for_a_container_counts_against_the_deadline(shop: Callable[..., Shop]) -> None:
    """A call that finds every container busy is timed out at its own deadline, and never runs."""
    one = shop(timeout_seconds=300)

    async def crowd() -> list[Any]:
        wait = "; while [ ! -e end ]; do sleep 0.05; done"
        busy = [one.workspace.execute_command(f"touch on{n}{wait}") for n in range(8)]
        tasks = [asyncio.ensure_future(call) for call in busy]
        while len(list(one.directory.glob("on*"))) < 8:  # noqa: ASYNC110 - the programs' doing
            await asyncio.sleep(0.05)
        late = await one.workspace.execute_command("touch ran", timeout=1)
        (one.directory / "end").touch()
        return [late, *await asyncio.gather(*tasks)]

    late, *others = one.run(crowd())
    assert (late.timed_out, late.exit_code, late.stdout) == (True, None, "")
    assert [other.exit_code for other in others] == [0] * 8
    assert not (one.directory / "ran").exists()


def test_a_cancelled_call_is_dead_when_its_task_is(shop: Callable[..., Shop]) -> None:
    """Cancelling ends the program before the task ends, and the next call finds a workspace that works."""
    one = shop(timeout_seconds=300)

    async def cancelled() -> None:
        call = "while :; do echo x >> beat; sleep 0.05; done"
        task = asyncio.ensure_future(one.workspace.execute_command(call))
        while not (one.directory / "beat").exists():  # noqa: ASYNC110 - the program's doing
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, AMPLE)

    one.run(cancelled())
    assert quiet(one.directory / "beat")
    assert one.sh("echo on").stdout == "on\n"


def test_closing_ends_what_runs_and_may_be_repeated(shop: Callable[..., Shop]) -> None:
    """Closing is bounded, ends running calls with a typed error, and removes every container."""
    before = set(ours())
    one = shop(timeout_seconds=300)
    directory = one.directory

    async def closed() -> None:
        task = asyncio.ensure_future(one.workspace.execute_command("touch on; sleep 600"))
        while not (one.directory / "on").exists():  # noqa: ASYNC110 - the program's doing
            await asyncio.sleep(0.02)
        await asyncio.wait_for(one.workspace.__aexit__(None, None, None), AMPLE)
        with pytest.raises(WorkspaceClosedError):
            await task

    one.run(closed())
    assert until(lambda: set(ours()) <= before)
    assert not directory.exists()
    with pytest.raises(WorkspaceClosedError):
        one.sh("echo on")


def test_what_a_call_made_is_told_and_nothing_else(one: Shop) -> None:
    """The files of a call are those that it made or changed, whatever their names."""
    one.sh("rm -rf files; mkdir files; echo a > files/old; echo b > files/changed")
    result = one.sh(
        "cd files; cat old; echo c >> changed; mkdir in; echo d > in/'a b'; ln -s old link"
    )
    assert result.files_created == ("files/changed", "files/in/a b")


def test_a_configured_interpreter_runs_the_code(shop: Callable[..., Shop]) -> None:
    """With ``python`` the code runs in that interpreter, as the main program, however long it is."""
    one = shop(python="/usr/bin/python3")
    code = "import sys\nprint(__name__, sys.argv, sys.path[-1], globals().keys() & {'os'})\n"
    assert one.py(code).stdout == "__main__ ['-c'] /workspace set()\n"
    assert one.py(f"print('on')\n#{'x' * MIB}").stdout == "on\n"
    assert one.py("raise SystemExit(5)").exit_code == 5
