"""How long it takes to install one extension, and what of it is the work itself."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Comparison, program
from tests.support.packages import PackageSpec, make_agent, make_folder, make_wheel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.installation import Installation

BIN = Path(sys.executable).parent
MODULES = 60
"""Modules of the package that is installed: about what a real extension has."""


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield installing a folder, a wheel and from the shipped registry, beside pip and uv."""
    files = {f"lib/part{n}.py": f'"""Part {n}."""\n\nVALUE = {n}\n' * 40 for n in range(MODULES)}
    spec = PackageSpec(name="bench", files=files)
    wheel = make_wheel(scratch / "wheels", spec)
    sources = {"folder": str(make_folder(scratch / "source", spec)), "wheel": str(wheel)}
    sources["shipped registry"] = "process"
    target = scratch / "target"
    for name, source in sources.items():
        agent = make_agent(scratch / name.replace(" ", "-"))
        yield Comparison(
            name=f"install from a {name}",
            ours=program(installation.program, "extensions", "install", source, cwd=agent),
            others=_others(wheel, target),
            reach={"pip install --target": 0.5},
            before=_empty(agent, target),
            rounds=7,
        )


def _others(wheel: Path, target: Path) -> dict[str, Callable[[], object]]:
    options = ("install", "--no-deps", "--quiet", "--target", target)
    return {
        "pip install --target": program(sys.executable, "-m", "pip", *options, wheel),
        "uv pip install --target": program(BIN / "uv", "pip", *options, wheel),
    }


def _empty(agent: Path, target: Path) -> Callable[[], None]:
    def clean() -> None:
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(agent / "extensions", ignore_errors=True)
        for name in ("pyproject.toml", "harnest-extensions.lock"):
            (agent / name).unlink(missing_ok=True)

    return clean
