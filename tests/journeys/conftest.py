"""Journeys go through the real command line, from an installed wheel."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.support.installation import Installation, install_product

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command


@pytest.fixture(scope="session")
def installation(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The product's wheel in a venv of its own, shared by all workers of one run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    return install_product(root, shared / "installed-product")


@pytest.fixture(scope="session")
def installed(installation: Installation) -> Command:
    """The ``harnest`` command of the installed wheel."""
    return installation.harnest


@pytest.fixture(scope="session")
def harnest(installed: Command) -> Command:
    """The command that every journey goes through: never the checkout's."""
    return installed


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A folder that holds the official extensions, as a clone does."""
    folder = tmp_path / "clone"
    ignore = shutil.ignore_patterns("*.egg-info", "__pycache__", "build", "dist")
    shutil.copytree(
        root / "official-extensions", folder / "official-extensions", ignore=ignore, symlinks=True
    )
    return folder


@cache
def docker_image() -> str:
    """Return an image with a Python that a local daemon has, or an empty text."""
    docker = shutil.which("docker")
    for image in ("harnest-test/python", "python:3.12-slim"):
        asked = [docker or "", "image", "inspect", image]
        if docker and not subprocess.run(asked, capture_output=True, check=False).returncode:
            return image
    return ""


@pytest.fixture
def image() -> str:
    """An image that a Docker daemon which answers has; skips where there is none."""
    found = docker_image()
    if not found:
        pytest.skip("no Docker daemon answers that has a Python image")
    return found
