"""``harnest sandbox ps``: what providers keep outside of their processes, and whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.names import sandbox_names
from harnest_ext.cli.options import common, examples
from harnest_ext.cli.sandbox.asking import ask, tell_unasked, unasked_shape
from harnest_ext.cli.sandbox.project import loaded
from harnest_ext.cli.sandbox.resources import merged, resource_shape, resource_table

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command("ps", epilog=examples("harnest sandbox ps", "harnest sandbox ps python --json"))
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=sandbox_names)
@common
def command(names: tuple[str, ...], *, project: Path | None, output: Output) -> int:
    """List containers, networks and the like that the sandboxes' providers made on this host.

    Of every process, not this project's alone. Changes nothing.
    """
    with loaded(project) as running:
        answers = list(ask(running, names, lambda managed: managed.inventory()))
    seen = merged((a.sandbox, a.provider, a.value) for a in answers if a.value is not None)
    output.result(
        {"resources": resource_shape(seen), **unasked_shape(answers)},
        resource_table(seen, empty="Nothing is there."),
    )
    return tell_unasked(output, answers, "a list of what exists")
