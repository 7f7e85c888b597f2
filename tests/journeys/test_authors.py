"""A new author's way, from an installed wheel alone: init, check, test, build, use in an agent."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command
    from tests.support.installation import Installation


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("minimal", "greeting"),
        ("context", "context"),
        pytest.param("sandbox-provider", "make", marks=pytest.mark.slow),
    ],
)
def test_from_a_template_to_a_wheel_in_an_agent(
    installation: Installation, installed: Command, tmp_path: Path, template: str, name: str
) -> None:
    """Nothing is edited and no step is missing, though the name is one that the template uses."""
    made = installed("extensions", "init", name, "--template", template, cwd=tmp_path)
    assert made.code == 0, made.stderr
    # Its own tests try the whole suite of a provider below.
    some = ("--only", "values.") if template == "sandbox-provider" else ()
    for step in (("check",), ("test", *some), ("build",)):
        done = installed("extensions", *step, name, cwd=tmp_path)
        assert done.code == 0, done.stdout + done.stderr
    own = subprocess.run(
        [installation.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path / name,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert own.returncode == 0, own.stdout
    assert "passed" in own.stdout
    assert "skipped" not in own.stdout
    (wheel,) = (tmp_path / name / "dist").glob("*.whl")
    assert installed("init", "demo", "--no-install", cwd=tmp_path).code == 0
    put = installed("extensions", "install", wheel, cwd=tmp_path / "demo")
    assert put.code == 0, put.stderr
    (tmp_path / "demo" / "sandbox" / "python.py").unlink()
    (tmp_path / "demo" / "use.py").write_text(
        f"from harnest.extensions.{name} import {name}\nprint(type({name}).__name__)\n"
    )
    used = subprocess.run(
        [installation.python, "use.py"],
        cwd=tmp_path / "demo",
        capture_output=True,
        text=True,
        check=False,
    )
    assert used.stdout == f"{name.title()}Extension\n", used.stderr


def test_the_provider_suite_runs_in_a_fresh_project(
    installation: Installation, tmp_path: Path
) -> None:
    """`pytest --harnest-provider mypkg:factory` needs nothing but the wheel and pytest."""
    (tmp_path / "mypkg.py").write_text(
        "from harnest_ext.conformance import MemoryProvider\n\n\n"
        "def factory():\n    return MemoryProvider()\n"
    )
    program = installation.folder / "bin" / "pytest"
    done = subprocess.run(
        [program, "-q", "--harnest-provider", "mypkg:factory", "-k", "values or outcomes"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "19 passed, 3 skipped" in done.stdout


def test_init_installs_from_the_wheel_and_a_program_runs_at_once(
    installed: Command, tmp_path: Path
) -> None:
    """The shipped registry is in the wheel: no network, no checkout."""
    assert installed("init", "demo", cwd=tmp_path).code == 0
    run = installed("sandbox", "run", "python", "-c", "print(40*10)", cwd=tmp_path / "demo")
    assert (run.code, run.stdout) == (0, "400\n"), run.stderr
