from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_process.extension import ProcessLimits
from harnest_extension_process.lib.errors import ProcessSandboxError

from harnest.execution.local.bounds import Means, means
from harnest.sandbox import SandboxStatus

from .support import request

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("code", "status", "exit_code", "reason"),
    [
        ("print(40*10)", "succeeded", 0, None),
        ("import sys; sys.exit(7)", "failed", 7, None),
        ("import sys; sys.exit(124)", "failed", 124, None),
        ("import sys; sys.exit(300)", "failed", 44, None),
        ("import sys; sys.exit('sorry')", "failed", 1, None),
        ("raise SystemExit", "succeeded", 0, None),
        ("import os; os._exit(3)", "failed", 3, None),
        ("1/0", "failed", 1, None),
        ("x = ", "failed", 1, None),
        ("import os; os.kill(os.getpid(), 9)", "failed", 137, "signal"),
        ("import os; os.kill(os.getpid(), 15)", "failed", 143, "signal"),
        ("raise KeyboardInterrupt", "failed", 130, "signal"),
        ("import os, signal; signal.raise_signal(signal.SIGXCPU)", "failed", 152, "signal"),
        ("a\0b", "failed", None, "invalid_code"),
        ("'\ud800'", "failed", None, "invalid_code"),
        ("#" + "x" * (16 * 1024 * 1024), "failed", None, "invalid_code"),
    ],
    ids=range(16),
)
def test_the_outcome_is_the_programs_own(
    make: Callable[..., Any], code: str, status: str, exit_code: int | None, reason: str | None
) -> None:
    """Exit codes pass as they are, a signal n is 128 + n, undeliverable code never starts."""
    result = make().execute(request(code))
    assert (result.status.value, result.exit_code) == (status, exit_code)
    assert result.metadata.get("reason") == reason


def test_a_program_behaves_as_under_python_c(make: Callable[..., Any]) -> None:
    """Isolated, named __main__, without arguments and input, with only its own traceback."""
    code = (
        "import sys\n"
        "print(__name__, sys.argv, sys.flags.isolated, repr(sys.stdin.read()), __annotations__)\n"
        "print([name for name in sys.modules if 'supervisor' in name])\n"
        "def f(x: int): return x\n"
        "print(f.__annotations__['x'])\n"
        "raise ValueError('of mine')\n"
    )
    result = make().execute(request(code))
    assert result.stdout == "__main__ ['-c'] 1 '' {}\n[]\n<class 'int'>\n"
    assert result.stderr == (
        "Traceback (most recent call last):\n"
        '  File "<string>", line 6, in <module>\n'
        "ValueError: of mine\n"
    )


def test_a_syntax_error_looks_as_the_interpreter_shows_it(make: Callable[..., Any]) -> None:
    """The error names the program's line and none of ours."""
    result = make().execute(request("print('before')\nx = \n"))
    assert result.stdout == ""
    assert result.stderr.splitlines()[0] == '  File "<string>", line 2'
    assert result.stderr.splitlines()[-1] == "SyntaxError: invalid syntax"


def test_everything_a_program_leaves_open_is_written_out_at_its_end(
    make: Callable[..., Any],
) -> None:
    """Threads are waited for, exit functions run, and unclosed files are flushed."""
    code = (
        "import atexit, threading, time, os\n"
        "os.makedirs('outputs')\n"
        "atexit.register(print, 'at exit')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\n"
        "file = open('outputs/kept.txt', 'w')\n"
        "file.write('not closed')\n"
        "class Dying:\n"
        "    def __del__(self): print('deleted')\n"
        "dying = Dying()\n"
    )
    result = make().execute(request(code))
    assert result.stdout == "thread\nat exit\ndeleted\n"
    assert [(file.name, file.data) for file in result.output_files] == [("kept.txt", b"not closed")]


def test_the_environment_is_clean_and_holds_what_is_listed(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is inherited unless it is named; home and temporary files are the work directory."""
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    monkeypatch.setenv("WANTED", "taken")
    code = (
        "import os, json, tempfile\n"
        "print(json.dumps(dict(os.environ)))\n"
        "home, place = os.environ['HOME'], os.environ['TMPDIR']\n"
        "print(home == place == os.getcwd() == tempfile.gettempdir())\n"
        "print(oct(os.stat('.').st_mode & 0o777), os.listdir('.'))\n"
    )
    result = make(environment={"MINE": "1"}, inherit=["WANTED", "ABSENT"]).execute(request(code))
    variables, same, folder = result.stdout.splitlines()
    names = {"PATH", "LANG", "HOME", "TMPDIR", "MINE", "WANTED"}
    assert set(json.loads(variables)) == names
    assert (same, folder) == ("True", "0o700 []")


def test_three_megabytes_of_source_arrive_whole(make: Callable[..., Any]) -> None:
    """Code travels by a pipe, not by an argument, so its size is no obstacle."""
    code = "x = '" + "a" * 3_000_000 + "'\nprint(len(x))"
    assert make().execute(request(code)).stdout == "3000000\n"


def test_another_interpreter_gets_the_supervisor_as_text(make: Callable[..., Any]) -> None:
    """An interpreter that is not ours by name can't be sent byte code, and works all the same."""
    base = getattr(sys, "_base_executable", sys.executable)
    provider = make(python=base if base != sys.executable else f"{sys.prefix}/bin/python")
    result = provider.execute(request("import sys; print(sys.executable)"))
    assert result.status is SandboxStatus.SUCCEEDED
    assert result.stdout.strip() != sys.executable or base == sys.executable


def test_an_interpreter_that_is_not_there_is_an_error_with_its_phase(
    make: Callable[..., Any],
) -> None:
    """The error names the phase and not the path."""
    with pytest.raises(ProcessSandboxError) as refusal:
        make(python="/nowhere/secret-python").execute(request("print(1)"))
    assert refusal.value.phase == "start"
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("code", "limits", "status", "reason"),
    [
        ("while True: pass", {"cpu_seconds": 1}, "failed", "cpu_limit"),
        (
            "open('big','wb').write(b'x' * 2_000_000)",
            {"file_bytes": 1_000_000},
            "failed",
            None,
        ),
        ("[open('/dev/null') for _ in range(50)]", {"open_files": 32}, "failed", None),
        ("bytearray(1 << 30)", {"address_space_bytes": 1 << 28}, "failed", "out_of_memory"),
    ],
    ids=["cpu", "file size", "open files", "address space"],
)
def test_limits_hold(
    make: Callable[..., Any], code: str, limits: dict[str, int], status: str, reason: str | None
) -> None:
    """Each declared limit ends or refuses what goes beyond it."""
    result = make(limits=ProcessLimits(**limits)).execute(request(code))
    assert (result.status.value, result.metadata.get("reason")) == (status, reason)


def test_a_program_that_would_have_too_many_processes_is_refused_more(
    make: Callable[..., Any],
) -> None:
    """The bound of a control group is reported, and what it let in is gone afterwards."""
    if means() is not Means.GROUP:
        pytest.skip("this host lets nobody make a control group here")
    code = (
        "import os, time\n"
        "for _ in range(60):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid(); time.sleep(100)\n"
    )
    result = make(limits=ProcessLimits(processes=20)).execute(request(code))
    assert "BlockingIOError" in result.stderr
    assert (result.status.value, result.metadata["reason"]) == ("failed", "pids_limit")
    assert result.metadata["refused_processes"] >= 1
    assert result.metadata["killed_processes"] == 19
