"""Workspaces as a user's own script opens them, wherever their tier's extension comes from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import make_agent

if TYPE_CHECKING:
    from tests.support.commands import Command
    from tests.support.installation import Installation

SCRIPT = """\
import asyncio

from harnest.execution import TierUnavailableError, Workspace, WorkspaceConfig


async def main():
    try:
        async with Workspace(WorkspaceConfig(tier="process")) as workspace:
            result = await workspace.execute_command("cat > note; wc -c < note", stdin=b"12345")
            print(result.stdout.strip(), result.files_created)
            print((await workspace.execute("print(open('note').read())")).stdout.strip())
    except TierUnavailableError as error:
        print(error.tier, error.remedy)


asyncio.run(main())
"""
WORKED = "5 ('note',)\n12345\n"


def run(installation: Installation, folder: Path, **environment: str) -> str:
    """Run the script with the installed product; return its output."""
    clean = {name: value for name, value in os.environ.items() if name != "HARNEST_PROJECT"}
    done = subprocess.run(
        [str(installation.python), "-W", "error", "-c", SCRIPT],
        cwd=folder,
        env=clean | environment,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def project(harnest: Command, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the process extension installed."""
    folder = make_agent(tmp_path_factory.mktemp("workspaces"))
    source = root / "official-extensions" / "process"
    done = harnest("extensions", "install", source, cwd=folder)
    assert done.code == 0, done.stderr
    return folder


def test_a_script_in_a_project_uses_the_projects_copy(
    installation: Installation, project: Path
) -> None:
    """No runtime has to be opened for it."""
    assert run(installation, project) == WORKED


def test_a_script_elsewhere_names_the_project(
    installation: Installation, project: Path, tmp_path: Path
) -> None:
    """HARNEST_PROJECT says whose extensions count."""
    assert run(installation, tmp_path, HARNEST_PROJECT=str(project)) == WORKED


def test_a_script_without_a_project_uses_the_environments_distribution(
    installation: Installation, harnest: Command, root: Path, tmp_path: Path
) -> None:
    """The extension's wheel, installed alone beside the product, is enough."""
    source = root / "official-extensions" / "process"
    built = harnest("extensions", "build", source, "--out", tmp_path, cwd=tmp_path)
    assert built.code == 0, built.stderr
    wheel = next(tmp_path.glob("*.whl"))
    site = tmp_path / "site"
    uv = Path(sys.executable).with_name("uv")
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--no-deps", "--target", site, wheel], check=True
    )
    folder = tmp_path / "empty"
    folder.mkdir()
    assert run(installation, folder, PYTHONPATH=str(site)) == WORKED


def test_a_missing_extension_is_told_with_its_remedy(
    installation: Installation, tmp_path: Path
) -> None:
    """Before anything runs, and with nothing run instead."""
    told = run(installation, tmp_path)
    assert told.startswith("process In an agent project: 'harnest extensions install process'.")
    assert "harnest-extension-process" in told
