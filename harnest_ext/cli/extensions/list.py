"""``harnest extensions list``: what is installed, from where, in what state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.shapes import listing_shape
from harnest_ext.cli.extensions.texts import versions_text
from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "list",
    epilog=examples("harnest extensions list", "harnest extensions list --json"),
)
@common
def command(*, project: Path | None, output: Output) -> None:
    """List the installed extensions.

    States: ok; modified (edited since it was installed); out of sync (the lock names other
    content); missing (in the lock, not on disk); linked (run in place); not in lock; foreign
    (something else lies in extensions/); unreadable.
    Copies are compared by file stamps; `verify` hashes them.
    """
    listing = open_manager(project, output).list_all()
    for problem in listing.problems:
        output.warn(problem.describe())
    if listing.interrupted:
        output.warn("a command was interrupted; the next one that writes finishes its work")
    output.result(listing_shape(listing), versions_text(listing.extensions))
