"""``harnest sandbox prune``: the removal of what dead processes left behind."""

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


@click.command("prune", epilog=examples("harnest sandbox prune", "harnest sandbox prune python"))
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=sandbox_names)
@common
def command(names: tuple[str, ...], *, project: Path | None, output: Output) -> int:
    """Remove what the sandboxes' providers made for processes that are gone.

    What belongs to a living process stays. Exit code 1 if something could not be removed.
    """
    with loaded(project) as running:
        answers = list(ask(running, names, lambda managed: managed.prune()))
    reports = [(a.sandbox, a.provider, a.value) for a in answers if a.value is not None]
    removed = merged((sandbox, provider, report.removed) for sandbox, provider, report in reports)
    kept = merged((sandbox, provider, report.kept) for sandbox, provider, report in reports)
    shape = {"removed": resource_shape(removed), "kept": resource_shape(kept)}
    output.result(
        {**shape, **unasked_shape(answers)}, resource_table(removed, empty="Nothing was left.")
    )
    for _provider, kind, identifier in kept:
        output.warn(f"the {kind} {identifier} could not be removed.")
    return tell_unasked(output, answers, "removing leftovers") or int(bool(kept))
