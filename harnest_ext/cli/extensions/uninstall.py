"""``harnest extensions uninstall``: remove extensions from the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.reporting import report_text, tell
from harnest_ext.cli.extensions.shapes import report_shape
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.names import installed_names
from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "uninstall",
    epilog=examples("harnest extensions uninstall docker", "harnest extensions uninstall a b"),
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=installed_names)
@click.option("--force", is_flag=True, help="Remove what other extensions require, too.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed and write nothing.")
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    names: tuple[str, ...],
    *,
    force: bool,
    dry_run: bool,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Remove extensions, whatever is wrong with them.

    A removed copy is kept for `harnest extensions rollback`.
    """
    manager = open_manager(project, output, wait=wait)
    report = manager.uninstall(names, force=force, dry_run=dry_run)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "uninstall"), dry_run=report.dry_run)
