"""``harnest extensions upgrade``: newer versions within what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.lookup import LookupOptions, lookup_options
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.reporting import report_text, tell
from harnest_ext.cli.extensions.resolving import Resolving, resolving_options
from harnest_ext.cli.extensions.shapes import report_shape
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.names import installed_names
from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "upgrade",
    epilog=examples(
        "harnest extensions upgrade docker", "harnest extensions upgrade --all --dry-run"
    ),
)
@click.argument("names", metavar="[NAME...]", nargs=-1, shell_complete=installed_names)
@click.option("--all", "everything", is_flag=True, help="All extensions that are not pinned.")
@click.option("--force", is_flag=True, help="Replace copies that were edited by hand.")
@resolving_options
@lookup_options
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    names: tuple[str, ...],
    *,
    everything: bool,
    force: bool,
    resolving: Resolving,
    lookup: LookupOptions,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Install newer versions, within the ranges that were asked for.

    Folders and wheels are read again. An extension that gains capabilities needs your consent.
    """
    if everything == bool(names):
        raise click.UsageError("Name extensions, or give --all for all of them.")
    options = resolving.options(output, force=force)
    manager = open_manager(project, output, wait=wait, lookup=lookup.lookup)
    with output.progress("Upgrading"):
        report = manager.upgrade(names, options)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "upgrade"), dry_run=report.dry_run)
