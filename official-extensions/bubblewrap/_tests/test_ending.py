"""How programs end, what is told of it, and that nothing of them is left."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest.execution import ExecutionCall
from harnest.execution.local.supervisor.family import descendants
from harnest.sandbox import SandboxCancelledError, control

from .conftest import FOLDER
from .support import marked, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from .support import Room

pytestmark = pytest.mark.bubblewrap


@pytest.fixture
def mark() -> str:
    """A text that stands in the command lines of one test's processes."""
    return f"mark-{secrets.token_hex(8)}"


def detaching(mark: str, then: str) -> str:
    """A command that leaves a process in a session of its own, holding the output, and goes on."""
    code = 'import os, time; os.fork() and os._exit(0); os.mkdir("on"); time.sleep(600)'
    begun = "while [ ! -e on ]; do sleep 0.02; done"
    return f"rm -rf on; setsid python3 -c '{code} # {mark}' & {begun}; {then}"


@pytest.mark.parametrize("code", [0, 1, 3, 124, 126, 127, 137, 139, 143, 255])
def test_an_exit_code_is_the_program_s_own_and_no_evidence_of_anything(
    room: Room, code: int
) -> None:
    """What looks like a time-out or a kill is neither when the program says so itself."""
    for result in (room.shell(f"exit {code}"), room.python(f"import os; os._exit({code})")):
        assert (result.exit_code, result.timed_out, result.memory_exceeded) == (code, False, False)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT])
def test_a_signal_is_told_as_128_and_its_number(room: Room, number: int) -> None:
    """Whatever ends the program, it is not a time-out."""
    result = room.python(f"import os; os.kill(os.getpid(), {number})")
    assert (result.exit_code, result.timed_out) == (128 + number, False)


def test_a_command_that_is_not_there_is_the_shell_s_to_tell(room: Room) -> None:
    """127 and its message, as in any shell."""
    result = room.shell("no-such-command")
    assert result.exit_code == 127
    assert b"not found" in result.stderr


def test_a_command_that_begins_with_a_dash_is_a_command(room: Room) -> None:
    """It is no option of the shell."""
    result = room.shell("-c 'echo taken for an option'")
    assert (result.exit_code, result.stdout) == (127, b"")


def test_a_deadline_ends_all_and_keeps_what_was_written(room: Room, mark: str) -> None:
    """A process in a session of its own that holds the pipes delays nothing and is gone."""
    result = room.late(room.shell, detaching(mark, "echo early; : > begun; sleep 600"))
    assert (result.exit_code, result.timed_out, result.stdout) == (None, True, b"early\n")
    assert marked(mark) == []


def test_a_normal_end_leaves_nothing_and_waits_for_nobody(room: Room, mark: str) -> None:
    """Background and detached processes end with the command, at once."""
    result = room.shell(detaching(mark, "sleep 600 & exit 5"))
    assert (result.exit_code, result.timed_out) == (5, False)
    assert marked(mark) == []


def test_a_program_that_ignores_every_signal_is_ended(room: Room) -> None:
    """The deadline holds against it."""
    code = (
        "import signal, time, sys\n"
        "for n in range(1, 32):\n"
        "    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\n"
        "open('begun', 'x').close()\ntime.sleep(600)"
    )
    assert room.late(room.python, code).timed_out


def test_a_cancelled_call_leaves_nothing(room: Room, mark: str) -> None:
    """The program is gone when the call raises."""
    with control.execute(120) as scope:
        threading.Thread(
            target=lambda: until(lambda: bool(marked(mark))) and scope.cancelled.set()
        ).start()
        call = ExecutionCall(
            kind="execute_command", text=f"sleep 600 # {mark}\n:", timeout_seconds=120
        )
        with pytest.raises(SandboxCancelledError):
            room.engine.run(call)
    assert marked(mark) == []


@pytest.mark.parametrize("moment", ["running", "starting"])
def test_when_the_host_is_killed_the_program_is_gone(
    host: None, tmp_path: Path, mark: str, moment: str
) -> None:
    """Nobody is left who could end it, and it ends all the same."""
    script = f"""
import sys, types
package = types.ModuleType("harnest_extension_bubblewrap")
package.__path__ = [{str(FOLDER)!r}]
sys.modules[package.__name__] = package
from pathlib import Path
from harnest.execution import ExecutionCall, WorkspaceConfig
from harnest_extension_bubblewrap.extension import bubblewrap
engine = bubblewrap.workspace(WorkspaceConfig(tier="bubblewrap"), Path({str(tmp_path)!r}).resolve())
text = "setsid sleep 600 & sleep 600 # {mark}"
print("ready", flush=True)
engine.run(ExecutionCall(kind="execute_command", text=text, timeout_seconds=600))
"""
    host_process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    with host_process:
        assert host_process.stdout is not None
        assert host_process.stdout.readline() == b"ready\n"
        if moment == "running":
            assert until(lambda: bool(marked(mark)))
        host_process.kill()
    assert until(lambda: marked(mark) == [] and marked(str(tmp_path)) == [])


def test_when_the_builder_is_killed_the_call_ends_and_nothing_is_left(
    room: Room, mark: str
) -> None:
    """What no program inside can do, somebody on the host can: the run is told as lost."""
    own = os.getpid()

    def kill_builder() -> None:
        assert until(lambda: bool(marked(mark)))
        for pid in descendants(own):
            with contextlib.suppress(OSError):  # ended meanwhile, as it should
                if Path(f"/proc/{pid}/comm").read_text() == "bwrap\n":
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill_builder)
    thread.start()
    result = room.shell(f"setsid sleep 600 & sleep 600 # {mark}", timeout=120)
    thread.join()
    assert (result.exit_code, result.timed_out) == (None, False)
    assert until(lambda: marked(mark) == [])


def test_input_arrives_byte_for_byte(room: Room) -> None:
    """Every byte, the NUL included, in any amount; and a program need not read it."""
    data = bytes(range(256)) * 20_000
    result = room.shell("sha256sum; wc -c </dev/stdin", stdin=data)
    assert result.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()
    assert room.shell("cat", stdin=b"").stdout == b""
    assert room.shell("echo unread", stdin=data).stdout == b"unread\n"


def test_without_input_there_is_none_to_wait_for(room: Room) -> None:
    """Reading ends at once, in commands and in Python."""
    assert room.shell("cat; echo end").stdout == b"end\n"
    assert room.python("import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_the_environment_is_the_configured_one_and_no_more(
    open_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the host's environment is seen; home and temporary files are the sandbox's."""
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    room = open_room(environment={"MINE": "a b\nc"})
    code = "import json, os; print(json.dumps([dict(os.environ), open('/proc/1/environ').read()]))"
    result = room.python(code)
    assert b"hidden" not in result.stdout
    found = room.tell("import json, os; print(json.dumps(dict(os.environ)))")
    assert set(found) - {"PWD"} == {"HOME", "LANG", "MINE", "PATH", "TMPDIR"}
    assert (found["MINE"], found["HOME"], found["TMPDIR"]) == ("a b\nc", "/home/sandbox", "/tmp")


def test_values_of_the_environment_are_in_no_command_line(
    open_room: Callable[..., Room], mark: str
) -> None:
    """Other users of the host, who can list processes, don't see them."""
    room = open_room(environment={"TOKEN": mark})
    seen: list[int] = []

    def look() -> None:
        until((room.directory / "here").exists)
        seen.extend(marked(mark))
        (room.directory / "go").touch()

    thread = threading.Thread(target=look)
    thread.start()
    result = room.shell('touch here; while [ ! -e go ]; do sleep 0.05; done; echo "$TOKEN"')
    thread.join()
    assert (result.stdout.decode().strip(), seen) == (mark, [])


def test_calls_side_by_side_do_not_meet(room: Room) -> None:
    """Each has its own processes, /tmp and outcome; the work directory is common."""
    results: dict[int, bytes] = {}
    met = "while [ $(ls met-* | wc -l) -lt 4 ]; do sleep 0.05; done"

    def run(number: int) -> None:
        command = f"echo {number} > /tmp/mine; : > met-{number}; {met}; cat /tmp/mine; ls /tmp/m*"
        results[number] = room.shell(command).stdout

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: out.split() for n, out in results.items()} == {
        n: [str(n).encode(), b"/tmp/mine"] for n in range(4)
    }
