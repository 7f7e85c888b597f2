"""How long the command line takes to start and to list."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from benchmarks.measure import Comparison, program
from tests.support.packages import PackageSpec, make_agent, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.installation import Installation

HELLO = """import click


@click.command()
@click.version_option("1.0")
def hello():
    click.echo("hello")


hello()
"""


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield ``--version`` and ``list`` with 0, 50 and 500 extensions, beside others' the same."""
    hello = scratch / "hello.py"
    hello.write_text(HELLO)
    click = program(installation.python, hello)
    pip = (sys.executable, "-m", "pip")
    yield Comparison(
        name="harnest --version",
        ours=program(installation.program, "--version"),
        others={"click hello": click, "pip --version": program(*pip, "--version")},
        reach={"click hello": 2, "pip --version": 1},
    )
    for number in (0, 50, 500):
        project = _project(installation, scratch / f"with-{number}", number)
        yield Comparison(
            name=f"harnest extensions list ({number})",
            ours=program(installation.program, "extensions", "list", cwd=project),
            others={"click hello": click, "pip list": program(*pip, "list")},
            reach={"click hello": 3 if number else 2, "pip list": 1},
        )


def _project(installation: Installation, parent: Path, number: int) -> Path:
    """Return an agent project with that many extensions installed."""
    parent.mkdir()
    agent = make_agent(parent)
    specs = [PackageSpec(name=f"bench{n}") for n in range(number)]
    sources = [make_folder(parent / "source", spec) for spec in specs]
    if sources:
        program(installation.program, "extensions", "install", *sources, cwd=agent)()
    return agent
