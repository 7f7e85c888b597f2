"""``harnest extensions outdated``: which extensions could be newer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.lookup import LookupOptions, lookup_options
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.shapes import problem_shapes, source_shape
from harnest_ext.cli.options import common, examples
from harnest_ext.cli.output import Table

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output
    from harnest_ext.manager.findings import Outdated

__all__ = ["command"]


@click.command(
    "outdated", epilog=examples("harnest extensions outdated", "harnest extensions outdated --json")
)
@click.option("--pre", is_flag=True, help="Consider pre-releases.")
@lookup_options
@common
def command(
    *,
    pre: bool,
    lookup: LookupOptions,
    project: Path | None,
    output: Output,
) -> None:
    """List the extensions of which there is something newer, and change nothing.

    WANTED is the newest version within what was asked for, LATEST the newest that fits this
    Harnest and this Python.
    """
    manager = open_manager(project, output, lookup=lookup.lookup)
    with output.progress("Looking up"):
        found = manager.outdated(prereleases=pre)
    for item in found:
        if item.failure is not None:
            output.warn(f"{item.name} could not be looked up: {item.failure.describe()}")
        elif item.note and item.version == item.latest:
            output.note(f"{item.name}: {item.note}")
    failures = tuple(item.failure for item in found if item.failure is not None)
    newer = [item for item in found if item.outdated]
    output.result(
        {
            "extensions": [_shape(item) for item in found],
            "outdated": len(newer),
            "warnings": problem_shapes(failures),
        },
        Table(
            columns=("NAME", "VERSION", "WANTED", "LATEST", "NOTE"),
            rows=tuple(
                (i.name, i.version, i.wanted, i.latest, "pinned" if i.pinned else i.note)
                for i in newer
            ),
            empty="Nothing newer was found where it could be looked up."
            if failures
            else "Everything is up to date.",
        ),
    )


def _shape(item: Outdated) -> dict[str, object]:
    return {
        "name": item.name,
        "version": item.version,
        "wanted": item.wanted,
        "latest": item.latest,
        "outdated": item.outdated,
        "pinned": item.pinned,
        "source": source_shape(item.source),
        "note": item.note or None,
    }
