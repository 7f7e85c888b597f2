"""``harnest extensions check``: every rule that a package breaks, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.findings import report_shape, report_text, sarif_log
from harnest_ext.cli.options import common, examples
from harnest_ext.host import Host

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "check",
    epilog=examples(
        "harnest extensions check ./my-extension",
        "harnest extensions check dist/harnest_extension_demo-1.0.0-py3-none-any.whl --json",
        "harnest extensions check . --format sarif > check.sarif",
    ),
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "sarif")),
    default=None,
    help="How to report: text (default), json (as --json), or SARIF 2.1.0 for code hosts.",
)
@common
def command(path: Path, form: str | None, *, project: Path | None, output: Output) -> int:
    """Check the package in a folder or wheel by every rule.

    Nothing of the package is imported or executed, and nothing is written. All problems are
    reported at once. The exit code is 1 if an installation would refuse the package.
    """
    from harnest_ext.package import check_package  # noqa: PLC0415 - parsers that --help never needs

    del project  # a package is judged by itself
    if form is not None:
        output.as_json = form != "text"
    report = check_package(path, host=Host())
    shape = sarif_log(report) if form == "sarif" else report_shape(report)
    output.result(shape, report_text(report))
    return 0 if report.ok else 1
