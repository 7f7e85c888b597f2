"""``harnest extensions verify``: hash every copy against the lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.shapes import problem_shapes
from harnest_ext.cli.options import common, examples
from harnest_ext.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output
    from harnest_ext.manager.findings import VerifiedExtension

__all__ = ["command"]


@click.command(
    "verify", epilog=examples("harnest extensions verify", "harnest extensions verify --json")
)
@common
def command(
    *,
    project: Path | None,
    output: Output,
) -> int:
    """Hash every copy and compare it with the lock, file by file.

    Exits with 1 when anything is not as the lock says.
    """
    found, problems = open_manager(project, output).verify()
    good = not problems and all(item.good for item in found)
    for problem in problems:
        output.warn(problem.describe())
    data = {
        "ok": good,
        "extensions": [_shape(item) for item in found],
        "problems": problem_shapes(problems),
    }
    output.result(data, "\n".join(_text(item) for item in found) or "No extensions are installed.")
    return 0 if good else 1


def _text(item: VerifiedExtension) -> str:
    head = f"{printable(item.name)}: {item.state.value}"
    return "\n".join((head, *(f"  {printable(line, 600)}" for line in item.files)))


def _shape(item: VerifiedExtension) -> dict[str, object]:
    return {
        "name": printable(item.name),
        "state": item.state.value,
        "expected": item.expected or None,
        "found": item.found or None,
        "files": [printable(line, 600) for line in item.files],
    }
