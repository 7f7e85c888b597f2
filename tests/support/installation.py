"""The product as its users have it: its wheel, built from this checkout, in a venv of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from tests.support.commands import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Installation", "install_product"]

_UV = Path(sys.executable).with_name("uv")
_BESIDE = ("docker>=7.1,<8", "pytest>=8")
"""What is installed beside the product: the docker extension's SDK, and what guides test with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A venv that holds the product's wheel and what it requires.

    Attributes:
        folder: The venv.
        wheel: The wheel that was installed.
    """

    folder: Path
    wheel: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def program(self) -> Path:
        """Its ``harnest``."""
        return self.folder / "bin" / "harnest"

    @property
    def harnest(self) -> Command:
        """Its command line."""
        return Command(program=(str(self.program),))


def install_product(root: Path, place: Path) -> Installation:
    """Build and install the product below ``place``, once for all processes that ask.

    Args:
        root: The checkout.
        place: A folder that the processes share.

    Raises:
        AssertionError: The build or the installation failed; its output, told once, says why.
    """
    venv, wheels = place / "venv", place / "wheels"
    begun, done = place / "begun", place / "done"
    place.mkdir(exist_ok=True)
    with FileLock(place / "lock"):
        if begun.exists() and not done.exists():
            raise AssertionError("the product could not be installed; the first failure says why")
        if not done.exists():
            begun.touch()
            _uv("build", "--wheel", "--out-dir", wheels, root)
            _uv("venv", "--quiet", "--clear", "--python", sys.executable, venv)
            wheel = next(wheels.glob("harnest-*.whl"))
            python = venv / "bin" / "python"
            _uv("pip", "install", "--quiet", "--python", python, wheel, *_BESIDE)
            done.touch()
    return Installation(folder=venv, wheel=next(wheels.glob("harnest-*.whl")))


def _uv(*arguments: str | Path) -> None:
    command: Sequence[str] = [str(_UV), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
