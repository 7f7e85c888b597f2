"""``harnest sandbox`` with the process extension: real programs, real files, real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import make_agent
from tests.support.waiting import LONG, before_a_deadline, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.commands import Command

SANDBOX = '''"""Programs as processes of this machine."""

from harnest.extensions.process import process

python = process.sandbox(timeout_seconds=60, max_output_bytes=100_000)
'''
RUN = ("sandbox", "run", "python")


@pytest.fixture(scope="module")
def project(harnest: Command, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the process extension installed."""
    folder = make_agent(tmp_path_factory.mktemp("process"), sandboxes={"python": SANDBOX})
    source = root / "official-extensions" / "process"
    done = harnest("extensions", "install", source, cwd=folder)
    assert done.code == 0, done.stderr
    return folder


def test_streams_pass_through_byte_for_byte(harnest: Command, project: Path) -> None:
    """Both streams come out where they went in, and the exit status is the program's."""
    code = "import sys; print('out ✓'); print('err', file=sys.stderr); sys.exit(7)"
    done = harnest(*RUN, "-c", code, cwd=project)
    assert (done.code, done.stdout) == (7, "out ✓\n")
    assert done.stderr.startswith("err\n")


def test_a_program_may_be_large_and_come_through_a_pipe(harnest: Command, project: Path) -> None:
    """3 MB of source are no argument of a process, and run."""
    program = "x = 1\n" * 500_000 + "print(x + 41)\n"
    assert len(program) > 3_000_000 - 1
    done = harnest(*RUN, "-", cwd=project, stdin=program)
    assert (done.code, done.stdout) == (0, "42\n")


def test_a_flood_ends_with_its_own_status(harnest: Command, project: Path) -> None:
    """The limit's part is passed on, and 123 says why there is no more."""
    done = harnest(*RUN, "-c", "while True: print('x' * 1000)", cwd=project)
    assert done.code == 123
    assert 0 < len(done.stdout) <= 100_000
    assert "output limit" in done.stderr


def test_a_late_program_ends_with_all_that_it_started(
    harnest: Command, project: Path, tmp_path: Path
) -> None:
    """A child that detached itself does not outlive the deadline."""
    note = tmp_path / "pid"
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n"
        f"    open('{note}.new', 'w').write(str(os.getpid()))\n"
        f"    os.rename('{note}.new', '{note}')\n"
        "time.sleep(600)\n"
    )
    done = before_a_deadline(
        lambda seconds: harnest(*RUN, "-c", code, "--timeout", str(seconds), cwd=project),
        reached=note.exists,
    )
    assert (done.code, "deadline" in done.stderr) == (124, True)
    assert not _runs(int(note.read_text()))


def test_files_go_in_and_come_out(harnest: Command, project: Path, tmp_path: Path) -> None:
    """What the program leaves under ``outputs/`` is saved under the given folder."""
    source = tmp_path / "numbers.txt"
    source.write_text("1 2 3")
    code = (
        "numbers = map(int, open('numbers.txt').read().split())\n"
        "import os; os.makedirs('outputs', exist_ok=True)\n"
        "open('outputs/total.txt', 'w').write(str(sum(numbers)))\n"
    )
    out = tmp_path / "out"
    done = harnest(*RUN, "-c", code, "--input", source, "--output", out, "--json", cwd=project)
    assert (done.code, (out / "total.txt").read_text()) == (0, "6"), done.stderr
    assert str(out / "total.txt") in done.json["saved"]


def test_the_doctor_knows_the_provider(harnest: Command, project: Path) -> None:
    """It can run here, and says what it needs for that."""
    doctor = harnest("sandbox", "doctor", "--try", "--json", cwd=project)
    assert doctor.code == 0, doctor.stdout
    [told] = doctor.json["sandboxes"]
    assert {"execution", "interpreter"} <= {each["name"] for each in told["diagnoses"]}


@pytest.fixture
def started(project: Path, root: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a program and go on while it runs."""
    running: list[subprocess.Popen[str]] = []

    def start(code: str, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "harnest_ext", *RUN, "-c", code],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(root)} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_output_comes_as_it_is_written_and_an_interrupt_ends_the_program(
    started: Callable[..., subprocess.Popen[str]], number: signal.Signals, status: int
) -> None:
    """The first line arrives while the program goes on; after Ctrl-C the program is gone."""
    process = started("import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    assert process.stdout is not None
    program = int(process.stdout.readline())
    assert _runs(program)
    process.send_signal(number)
    _, told = process.communicate(timeout=LONG)
    assert process.returncode == status
    assert "Traceback" not in told
    assert not _runs(program)


def test_what_a_killed_run_left_is_listed_and_pruned(
    harnest: Command,
    project: Path,
    started: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
) -> None:
    """The program ends with the command; its folder is told as a dead owner's, and removed."""
    own = {"TMPDIR": str(tmp_path)}  # elsewhere somebody else may prune it
    process = started("import os, time; print(os.getpid(), flush=True); time.sleep(600)", **own)
    assert process.stdout is not None
    program = int(process.stdout.readline())
    process.kill()
    process.wait()
    until(lambda: not _runs(program))

    def left() -> set[str]:
        told = harnest("sandbox", "ps", "--json", cwd=project, **own).json["resources"]
        mine = [each for each in told if each["owner"] == f"process {process.pid}"]
        assert {each["owner_alive"] for each in mine} <= {False}
        return {each["kind"] for each in mine}

    assert "directory" in left()

    def pruned() -> bool:  # a control group can be removed once the supervisor in it has ended
        assert harnest("sandbox", "prune", cwd=project, **own).code == 0
        return left() == set()

    until(pruned)


def test_a_reader_that_leaves_ends_the_program(
    started: Callable[..., subprocess.Popen[str]],
) -> None:
    """As in ``... | head -1``: no endless program, no traceback, the status of SIGPIPE."""
    process = started("while True: print('x')")
    assert process.stdout is not None
    assert process.stdout.readline() == "x\n"
    process.stdout.close()
    assert process.wait(LONG) == 141
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_an_output_that_can_not_be_written_is_told(project: Path, root: Path) -> None:
    """A full disk is no defect: the program ends, and the reason is named."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    with full.open("wb") as output:
        done = subprocess.run(
            [sys.executable, "-m", "harnest_ext", *RUN, "-c", "while True: print('x')"],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(root)},
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LONG,
            check=False,
        )
    assert done.returncode == 125
    assert "stdout can't be written: No space left" in done.stderr


def test_a_mark_before_the_program_is_skipped(harnest: Command, project: Path) -> None:
    """Some editors put one first; Python itself skips it in a file."""
    script = project / "script.py"
    script.write_text("print('fine')", encoding="utf-8-sig")
    assert harnest(*RUN, script, cwd=project).stdout == "fine\n"
    assert harnest(*RUN, "-", cwd=project, stdin="\ufeffprint('fine')").stdout == "fine\n"


def test_a_signal_that_is_ignored_stays_ignored(project: Path, root: Path, tmp_path: Path) -> None:
    """As under nohup: a closed terminal does not end what was to outlive it."""
    go = tmp_path / "go"
    code = f"""
import pathlib, time
print("up", flush=True)
while not pathlib.Path({str(go)!r}).exists():
    time.sleep(0.01)
print("down")
"""
    nohup = ("sh", "-c", 'trap "" HUP; exec "$@"', "nohup", sys.executable, "-m", "harnest_ext")
    process = subprocess.Popen(
        [*nohup, *RUN, "-c", code],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGHUP)
    go.touch()
    assert process.communicate(timeout=LONG)[0] == "down\n"
    assert process.returncode == 0


def _runs(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
