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
from tests.support.waiting import before_a_deadline

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


def test_doctor_ps_and_prune_know_the_provider(harnest: Command, project: Path) -> None:
    """It can run here, and after everything above nothing of this user's is left over."""
    doctor = harnest("sandbox", "doctor", "--try", "--json", cwd=project)
    assert doctor.code == 0, doctor.stdout
    [told] = doctor.json["sandboxes"]
    assert {"execution", "interpreter"} <= {each["name"] for each in told["diagnoses"]}
    assert harnest("sandbox", "prune", cwd=project).code == 0
    left = harnest("sandbox", "ps", "--json", cwd=project).json
    assert [each for each in left["resources"] if each["owner_alive"] is False] == []


@pytest.fixture
def started(project: Path, root: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Start a program and go on while it runs."""
    running: list[subprocess.Popen[str]] = []

    def start(code: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "harnest_ext", *RUN, "-c", code],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(root)},
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


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_output_comes_as_it_is_written_and_an_interrupt_ends_the_program(
    started: Callable[[str], subprocess.Popen[str]], number: signal.Signals, status: int
) -> None:
    """The first line arrives while the program goes on; after Ctrl-C the program is gone."""
    process = started("import os, time; print(os.getpid(), flush=True); time.sleep(120)")
    assert process.stdout is not None
    program = int(process.stdout.readline())
    assert _runs(program)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == status
    assert "Traceback" not in told
    assert not _runs(program)


def test_a_reader_that_leaves_ends_the_program(
    started: Callable[[str], subprocess.Popen[str]],
) -> None:
    """As in ``harnest sandbox run ... | head -1``: no endless program, no traceback."""
    process = started("while True: print('x')")
    assert process.stdout is not None
    assert process.stdout.readline() == "x\n"
    process.stdout.close()
    assert process.wait(timeout=60) != 0
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


def _runs(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
