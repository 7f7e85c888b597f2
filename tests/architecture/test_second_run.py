"""What `scripts/test --again` makes of tests that fail once, fail always, or fail in number."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.architecture.source import ROOT

if TYPE_CHECKING:
    from pathlib import Path

ONCE = """\
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range({number}))
def test_it(number):
    seen = Path(__file__).with_name(f"seen-{{number}}")
    if not seen.exists():
        seen.touch()
        raise AssertionError("not yet")
"""
ALWAYS = "def test_it():\n    assert False\n"
LEAN = ("-p", "no:langsmith_plugin", "-p", "no:harnest", "-p", "no:hypothesispytest")
SUITE = "official-extensions/docker"
"""One that runs without workers, which take longer to start than its tests."""


def run(clone: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a clone that has nothing but it, an environment and a suite."""
    (clone / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "test", clone / "scripts")
    (clone / "scripts" / "environment").write_text("#!/bin/sh\n")
    (clone / "scripts" / "environment").chmod(0o755)
    (clone / ".venv").symlink_to(sys.prefix)
    return subprocess.run(
        ["scripts/test", "--no-docker", *options, *LEAN, SUITE],
        cwd=clone,
        env={name: os.environ[name] for name in ("HOME", "PATH")},
        capture_output=True,
        check=False,
        text=True,
    )


@pytest.mark.parametrize(
    ("source", "options", "forgiven"),
    [
        (ONCE.format(number=1), ["--again"], 1),
        (ONCE.format(number=3), ["--again"], 3),
        (ONCE.format(number=4), ["--again"], 0),
        (ONCE.format(number=1), [], 0),
        (ALWAYS, ["--again"], 0),
    ],
    ids=["one", "three", "four", "not-asked", "always"],
)
def test_only_a_few_that_pass_alone_are_forgiven(
    source: str, options: list[str], forgiven: int, tmp_path: Path
) -> None:
    """At most three failed tests run again, alone; if all pass, they are named as unstable."""
    (tmp_path / SUITE).mkdir(parents=True)
    (tmp_path / SUITE / "test_it.py").write_text(source)
    done = run(tmp_path, *options)
    assert done.returncode == int(forgiven == 0), done.stdout + done.stderr
    _, named, unstable = done.stdout.partition("UNSTABLE")
    assert bool(named) == bool(forgiven)
    assert unstable.count(f"{SUITE}/test_it.py::test_it") == forgiven
    assert ("once more, alone" in done.stdout) == bool(forgiven or source == ALWAYS)
