"""How long the command line takes to start and to list."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Comparison, program
from tests.support.packages import PackageSpec, make_agent, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

HELLO = """import click


@click.command()
@click.version_option("1.0")
def hello():
    click.echo("hello")


hello()
"""
BIN = Path(sys.executable).parent


def comparisons(scratch: Path) -> Iterator[Comparison]:
    """Yield ``--version`` and ``list`` with 0, 50 and 500 extensions, beside others' the same."""
    hello = scratch / "hello.py"
    hello.write_text(HELLO)
    click = program(sys.executable, hello)
    pip = (sys.executable, "-m", "pip")
    yield Comparison(
        name="harnest --version",
        ours=program(BIN / "harnest", "--version"),
        others={"click hello": click, "pip --version": program(*pip, "--version")},
        reach={"click hello": 2, "pip --version": 1},
    )
    for number in (0, 50, 500):
        project = _project(scratch / f"with-{number}", number)
        yield Comparison(
            name=f"harnest extensions list ({number})",
            ours=program(BIN / "harnest", "extensions", "list", cwd=project),
            others={"click hello": click, "pip list": program(*pip, "list")},
            reach={"click hello": 3 if number else 2, "pip list": 1},
        )


def _project(parent: Path, number: int) -> Path:
    """Return an agent project with that many extensions installed."""
    parent.mkdir()
    agent = make_agent(parent)
    specs = [PackageSpec(name=f"bench{n}") for n in range(number)]
    sources = [make_folder(parent / "source", spec) for spec in specs]
    if sources:
        program(BIN / "harnest", "extensions", "install", *sources, cwd=agent)()
    return agent
