"""Where the Docker tests have to run, none of them is skipped in silence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.architecture.source import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    Done = subprocess.CompletedProcess[str]

RUNS = "import pytest\n\n@pytest.mark.docker\ndef test_it():\n    assert True\n"
SKIPS = "import pytest\n\n@pytest.mark.docker\ndef test_it():\n    pytest.skip('no daemon')\n"
ALONE = """\
import os, subprocess, sys
import pytest

@pytest.mark.docker
@pytest.mark.parametrize("number", range(6))
def test_it(number):
    os.close(os.open(os.environ["BUSY"], os.O_CREAT | os.O_EXCL))
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    os.unlink(os.environ["BUSY"])
"""
TURNS = """\
import os, time
import pytest
from filelock import FileLock, Timeout

def other_waits():
    try:
        with FileLock(os.environ["HARNEST_DOCKER_TURNS"] + ".next", timeout=0):
            return False
    except Timeout:
        return True

@pytest.mark.docker
@pytest.mark.parametrize("number", range(4))
def test_it(number):
    with open(os.environ["ORDER"], "a+") as order:
        order.write(os.environ["WHO"])
        order.seek(0)
        others = [who for who in order.read() if who != os.environ["WHO"]]
    while len(others) < 4 and not other_waits():
        time.sleep(0.01)
"""
OTHER = "def test_it():\n    assert True\n"
WORKERS = ("-p", "xdist", "-n", "1")
SETTINGS = "[pytest]\nmarkers = docker: needs a daemon\n"


def run(folder: Path, required: str, *options: str, **variables: str) -> Done:
    """Run pytest in a folder under the repository's rules."""
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "pytest.ini").write_text(SETTINGS)
    variables |= {"HARNEST_REQUIRE_DOCKER": required, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HARNEST_DOCKER_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=inherited | variables,
        capture_output=True,
        check=False,
        text=True,
    )


@pytest.mark.parametrize(
    ("source", "required", "code", "options"),
    [
        (RUNS, "1", 0, WORKERS),
        (SKIPS, "1", 1, WORKERS),
        (OTHER, "1", 1, WORKERS),
        (SKIPS, "1", 1, ()),
        (SKIPS, "", 0, ()),
        (OTHER, "1", 0, ("-p", "cacheprovider", "--last-failed")),
        (SKIPS, "1", 1, ("-p", "cacheprovider", "--last-failed")),
    ],
    ids=["runs", "skipped", "none", "skipped-alone", "not-required", "again", "skipped-again"],
)
def test_a_docker_test_that_must_run_runs(
    source: str, required: str, code: int, options: tuple[str, ...], tmp_path: Path
) -> None:
    """A skipped Docker test, or a run without any, fails where they are required."""
    (tmp_path / "test_it.py").write_text(source)
    done = run(tmp_path, required, *options)
    assert done.returncode == code, done.stdout
    if source == SKIPS and required:
        assert "has to run here, but was skipped" in done.stdout
    if required:
        assert f"Docker tests passed: {int(source == RUNS)}" in done.stdout


def test_one_docker_test_runs_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers that have Docker tests never run two of them at once."""
    monkeypatch.setenv("BUSY", str(tmp_path / "busy"))
    (tmp_path / "test_it.py").write_text(ALONE)
    done = run(tmp_path, "1", "-p", "xdist", "-n", "2")
    assert done.returncode == 0, done.stdout
    assert "Docker tests passed: 6" in done.stdout


def test_runs_that_share_a_daemon_take_turns(tmp_path: Path) -> None:
    """Of two runs that are given one name, the one that waits is next: none waits for all tests."""
    order = tmp_path / "order"

    def one(who: str) -> Done:
        folder = tmp_path / who
        folder.mkdir()
        (folder / "test_it.py").write_text(TURNS)
        turns = str(tmp_path / "turns")
        return run(folder, "1", HARNEST_DOCKER_TURNS=turns, ORDER=str(order), WHO=who)

    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(one, "ab"))
    assert [done.returncode for done in ended] == [0, 0], ended
    assert order.read_text() in {"abababab", "babababa"}
