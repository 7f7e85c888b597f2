"""The repository's own scripts: runnable, and readable by the shell that they name."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.architecture.source import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SCRIPTS = sorted(
    path
    for folder in ("scripts", ".ci", "benchmarks")
    for path in (ROOT / folder).iterdir()
    if path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/env bash")
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_run(script: Path) -> None:
    """It is executable, bash accepts it, and it stops at what it did not expect."""
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)
    assert "set -euo pipefail" in script.read_text() or "set -uo pipefail" in script.read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_what_it_is_for(script: Path) -> None:
    """Its second line is a sentence about it."""
    assert script.read_text().splitlines()[1].startswith("# ")


def test_continuous_integration_calls_what_the_readme_names() -> None:
    """CI runs the two commands that everybody runs, the Docker tests included."""
    calls = (ROOT / ".ci" / "run").read_text()
    assert "scripts/check" in calls
    assert "scripts/test --docker" in calls
    assert "scripts/test" in (ROOT / "README.md").read_text()
