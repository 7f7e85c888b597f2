"""The examples run from a clone by the one command that their README gives."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import distributions
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import snapshot

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.frameworks, pytest.mark.slow]

ADK = ["[sandbox] Code execution result:", "400", "[assistant] The answer is 400."]
ADK += ["ZeroDivisionError: division by zero", "harnest: status failed, exit code 1"]
LANGGRAPH = ["[code] print(40 * 10)", "[assistant] The answer is 400.", "[code] print(1 / 0)"]
LANGGRAPH += [
    "[assistant] That did not work: failed, exit code 1: ZeroDivisionError: division by zero"
]


@pytest.fixture
def examples(root: Path, tmp_path: Path) -> Path:
    """The examples and the official extensions, as they lie in a clone."""
    ignore = shutil.ignore_patterns("*.egg-info", "__pycache__", "extensions", "*.lock", ".harnest")
    for folder in ("examples", "official-extensions"):
        shutil.copytree(root / folder, tmp_path / folder, ignore=ignore, symlinks=True)
    return tmp_path / "examples"


def run(folder: Path, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an example's command with this interpreter."""
    environment = {
        "HARNEST_EXAMPLE_PYTHON": sys.executable,
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder.parent),
    }
    return subprocess.run(
        [folder / "run", *arguments],
        cwd=folder.parent.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.parametrize(
    ("name", "framework", "lines"),
    [("adk_agent", "google-adk", ADK), ("langgraph_agent", "langgraph", LANGGRAPH)],
)
def test_an_example_runs_by_its_one_command(
    name: str, framework: str, lines: list[str], examples: Path, root: Path
) -> None:
    """Its agent gets an answer and sees a failure; a second run changes nothing in the folder."""
    if not list(distributions(name=framework)):
        pytest.skip(f"{framework} is not installed")
    wishes = (examples / name / "pyproject.toml").read_bytes()
    first = run(examples / name, root)
    assert first.returncode == 0, first.stderr
    said = first.stdout.splitlines()
    assert [line for line in lines if line not in said] == []
    assert (examples / name / "pyproject.toml").read_bytes() == wishes
    before = snapshot(examples / name)
    again = run(examples / name, root, "What is 6 * 7?")
    assert again.returncode == 0, again.stderr
    assert "[assistant] The answer is 42." in again.stdout
    assert snapshot(examples / name) == before
