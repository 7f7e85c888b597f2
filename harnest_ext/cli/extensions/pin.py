"""``harnest extensions pin``: keep extensions at their versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.completing import installed_names
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.reporting import report_text, tell
from harnest_ext.cli.extensions.shapes import report_shape
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command("pin", epilog=examples("harnest extensions pin docker"))
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=installed_names)
@wait_option
@common
def command(
    names: tuple[str, ...],
    *,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Keep extensions at the versions that are installed; upgrades pass them over."""
    report = open_manager(project, output, wait=wait).set_pins(names, pinned=True)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "pin"))
