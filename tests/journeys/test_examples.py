"""The examples run from a clone by the one command that their README gives."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import distributions
from typing import TYPE_CHECKING

import pytest

from tests.journeys.conftest import docker_image
from tests.support.commands import snapshot

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

ADK = ["[sandbox] Code execution result:", "400", "[assistant] The answer is 400."]
ADK += ["ZeroDivisionError: division by zero", "harnest: status failed, exit code 1"]
LANGGRAPH = ["[code] print(40 * 10)", "[assistant] The answer is 400.", "[code] print(1 / 0)"]
LANGGRAPH += [
    "[assistant] That did not work: failed, exit code 1: ZeroDivisionError: division by zero"
]

BUBBLEWRAP = pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)
DOCKER = pytest.param("docker", marks=pytest.mark.docker)
ALLOWED = ["writes in its work directory", "reads an allowed path"]
DENIED = ["reads any file of the host", "changes any file of the host", "changes an allowed path"]
DENIED += ["may change the system", "connects to a listener of the host"]
DENIED += ["signals the agent's process", "reads the agent's environment"]


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


@pytest.mark.frameworks
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


def options_of(tier: str) -> list[str]:
    """Return the arguments that choose a tier; skip where it can't run."""
    if tier == "bubblewrap" and not shutil.which("bwrap", path="/usr/bin:/bin"):
        pytest.skip("bwrap is not installed")
    image = docker_image() if tier == "docker" else ""
    if tier == "docker" and not image:
        pytest.skip("no Docker daemon answers that has a Python image")
    return ["--tier", tier, *(["--image", image] if image else [])]


@pytest.mark.parametrize("place", ["host", "backend"])
@pytest.mark.parametrize("tier", ["process", BUBBLEWRAP, DOCKER])
def test_the_coding_agent_works_in_a_tier(
    tier: str, place: str, examples: Path, root: Path
) -> None:
    """Where commands and file tools work is one argument each; the outcome is the same."""
    arguments = [*options_of(tier), "--file-tools", place]
    ended = run(examples / "coding_agent", root, *arguments)
    if (tier, place) == ("process", "backend"):
        assert ended.returncode == 1
        assert "file_tools='backend' can't be kept by the tier 'process'" in ended.stderr
        return
    assert ended.returncode == 0, ended.stderr
    assert "NameError: name 'numbr' is not defined" in ended.stdout
    assert "[assistant] The squares are in squares.txt:" in ended.stdout
    executions = 2 if place == "host" else 8
    last = f"[workspace] squares.py, squares.txt; {executions} executions in the tier {tier}"
    assert ended.stdout.splitlines()[-1] == last


@pytest.mark.parametrize("tier", [BUBBLEWRAP, DOCKER])
def test_an_isolating_tier_denies_what_it_should(tier: str, examples: Path, root: Path) -> None:
    """A program gets at its work directory and the allowed paths, and at nothing else."""
    ended = run(examples / "isolation_tiers", root, *options_of(tier))
    assert ended.returncode == 0, ended.stderr
    assert outcomes(ended.stdout) == {
        **dict.fromkeys(ALLOWED, "yes"),
        **dict.fromkeys(DENIED, "no"),
    }


def test_the_process_tier_hides_the_environment_alone(examples: Path, root: Path) -> None:
    """By default a program has the access of the user who runs it."""
    ended = run(examples / "isolation_tiers", root)
    assert ended.returncode == 0, ended.stderr
    denied = [attempt for attempt, outcome in outcomes(ended.stdout).items() if outcome == "no"]
    assert set(denied) - {"may change the system"} == {"reads the agent's environment"}


@pytest.mark.skipif(sys.platform == "darwin", reason="seatbelt runs here")
def test_a_tier_of_another_system_is_refused(examples: Path, root: Path) -> None:
    """Seatbelt on Linux: the reason, no fallback, and exit status 1."""
    ended = run(examples / "isolation_tiers", root, "--tier", "seatbelt")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "the tier 'seatbelt' can't run here" in ended.stderr
    assert "macOS" in ended.stderr


def outcomes(text: str) -> dict[str, str]:
    """Return what each attempt came to, yes or no."""
    lines = [line.strip().rpartition("  ") for line in text.splitlines()[1:]]
    return {attempt.strip(): outcome.strip().partition(":")[0] for attempt, _, outcome in lines}
