"""``harnest extensions rollback``: bring back the version before the last change."""

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


@click.command("rollback", epilog=examples("harnest extensions rollback docker"))
@click.argument("name", shell_complete=installed_names)
@click.option("--force", is_flag=True, help="Do so although others then lack what they require.")
@wait_option
@common
def command(
    name: str,
    *,
    force: bool,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Bring back what an extension was before its last upgrade, replacement or removal.

    Its lock entry and what was asked for come back too. A second rollback undoes the first.
    """
    report = open_manager(project, output, wait=wait).rollback(name, force=force)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "rollback"))
