"""The real command, killed at random times and run many times at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from harnest_ext.store import CopyState, Project, installed_view, layout
from tests.support.packages import PackageSpec, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.commands import Command

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("HARNEST_LONG_TESTS"))
KILLS = 500 if LONG else 30
ROUNDS = 200 if LONG else 3
WRITERS = 8
DONE, BUSY = 0, 3


def _start(harnest: Command, agent: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*harnest.program, "extensions", *arguments, "--json"],
        cwd=agent,
        env=os.environ | dict(harnest.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _settled(harnest: Command, agent: Path) -> dict[str, tuple[str, str]]:
    """Let the next writing command put things right, and return name to version and state."""
    done = harnest("extensions", "doctor", "--fix", "--json", cwd=agent)
    assert done.code in {0, 1}, done.stderr
    assert not (agent / layout.JOURNAL_PATH).exists()
    assert not (agent / layout.STAGING_PATH).exists()
    view = installed_view(Project.at(agent))
    assert not view.problems
    return {n: (e.locked.version, e.state) for n, e in view.extensions.items() if e.locked}


def _version(folder: Path, number: int) -> None:
    files = {f"lib/m{n}.py": f"VERSION = {number}\n" * 50 for n in range(40)}
    make_folder(folder, PackageSpec(name="weather", version=f"1.0.{number}", files=files))


def test_kills_at_random_times_leave_one_whole_version(
    harnest: Command,
    agent: Path,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """SIGKILL at any time: readers find the project whole, no version is mixed, nothing is left."""
    _version(tmp_path / "src", 0)
    assert harnest("extensions", "install", "../src/weather", cwd=agent).code == 0
    chance = random.Random(20261130)
    usual, killed, number = 60.0, 0, 0
    while killed < KILLS:
        number += 1
        _version(tmp_path / "src", number)
        start = time.monotonic()
        process = _start(harnest, agent, "install", "--upgrade", "../src/weather")
        try:
            process.communicate(timeout=chance.uniform(0.3, 1.1) * usual)
            usual = time.monotonic() - start  # how long it takes changes with the machine's load
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
        view = installed_view(Project.at(agent))
        assert not view.problems
        assert view.extensions["weather"].state is CopyState.OK
        assert view.lock.entries["weather"].version in {f"1.0.{n}" for n in range(number + 1)}
    listed = harnest("extensions", "list", "--json", cwd=agent)
    assert listed.code == 0, listed.stderr
    assert [item["state"] for item in listed.json["extensions"]] == ["ok"]
    assert _settled(harnest, agent).keys() == {"weather"}
    lines = {path.read_text() for path in (agent / "extensions/weather/lib").iterdir()}
    assert len(lines) == 1
    record_property("tried", f"{killed} SIGKILLs in {number} upgrades, 0 bad states")


@pytest.mark.parametrize("wait", ["900", "0"])
def test_many_writers_at_once_end_as_if_one_after_the_other(
    harnest: Command,
    agent: Path,
    tmp_path: Path,
    wait: str,
    record_property: Callable[[str, object], None],
) -> None:
    """Every exit is done or busy, and what was done is there, whole, in files, lock and wishes."""
    names = [f"weather{chr(ord('a') + n)}" for n in range(WRITERS)]
    for name in names:
        make_folder(tmp_path / "src", PackageSpec(name=name))
    finished = 0
    for _ in range(ROUNDS):
        writers = {
            name: _start(harnest, agent, "install", f"../src/{name}", "--wait", wait)
            for name in names
        }
        codes = {}
        for name, writer in writers.items():
            writer.communicate(timeout=900)
            codes[name] = writer.returncode
        assert set(codes.values()) <= {DONE, BUSY}
        done = {name for name, code in codes.items() if code == DONE}
        assert done == set(names) or wait == "0"
        assert done
        expected = dict.fromkeys(done, ("1.0.0", CopyState.OK))
        assert _settled(harnest, agent) == expected
        wishes = (agent / "pyproject.toml").read_text()
        assert all((f"\n{name} = " in wishes) is (name in done) for name in names)
        removed = harnest("extensions", "uninstall", *sorted(done), cwd=agent)
        assert removed.code == DONE, removed.stderr
        finished += len(done)
    told = f"{ROUNDS} rounds of {WRITERS} writers, {finished} done, the rest busy, 0 bad states"
    record_property("tried", told)


def test_writers_of_one_name_leave_one_of_their_versions(
    harnest: Command,
    agent: Path,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Eight upgrades of one extension at once end in exactly one of the eight versions."""
    for number in range(WRITERS):
        _version(tmp_path / f"src{number}", number)
    for _ in range(ROUNDS):
        writers = [
            _start(harnest, agent, "install", "--upgrade", f"../src{n}/weather", "--wait", "900")
            for n in range(WRITERS)
        ]
        for writer in writers:
            writer.communicate(timeout=900)
        assert {writer.returncode for writer in writers} == {DONE}
        settled = _settled(harnest, agent)
        assert settled["weather"][1] is CopyState.OK
        lines = {path.read_text() for path in (agent / "extensions/weather/lib").iterdir()}
        number = settled["weather"][0].rpartition(".")[2]
        assert lines == {f"VERSION = {number}\n" * 50}
    record_property("tried", f"{ROUNDS} rounds of {WRITERS} writers of one name, 0 bad states")


def test_a_reader_beside_a_writer_sees_the_old_or_the_new(
    harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """While upgrades run one after the other, every look finds a whole copy of one version."""
    _version(tmp_path / "src", 0)
    assert harnest("extensions", "install", "../src/weather", cwd=agent).code == 0
    project = Project.at(agent)
    looks = number = 0
    while number < 5 or looks < 20:
        number += 1
        _version(tmp_path / "src", number)
        process = _start(harnest, agent, "install", "--upgrade", "../src/weather")
        while process.poll() is None:
            view = installed_view(project)
            assert not view.problems
            assert view.extensions["weather"].state is CopyState.OK
            looks += 1
        process.communicate()
