"""``harnest extensions pin`` and ``unpin``: keep extensions at their versions, or no longer."""

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

__all__ = ["pin", "unpin"]


def _command(name: str, what: str, *, pinned: bool) -> click.Command:
    @click.command(name, help=what, epilog=examples(f"harnest extensions {name} docker"))
    @click.argument(
        "names", metavar="NAME...", nargs=-1, required=True, shell_complete=installed_names
    )
    @wait_option
    @common
    def command(
        names: tuple[str, ...], *, wait: float, project: Path | None, output: Output
    ) -> None:
        report = open_manager(project, output, wait=wait).set_pins(names, pinned=pinned)
        tell(report, output)
        output.done(report_shape(report), report_text(report, name))

    return command


pin = _command(
    "pin",
    "Keep extensions at the versions that are installed; upgrades pass them over.",
    pinned=True,
)
unpin = _command("unpin", "Let pinned extensions be upgraded again.", pinned=False)
