"""``harnest extensions install``: from folders, wheels and names into the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.lookup import LookupOptions, lookup_options
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.reporting import report_text, tell
from harnest_ext.cli.extensions.resolving import Resolving, resolving_options
from harnest_ext.cli.extensions.shapes import report_shape
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.names import source_names
from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "install",
    epilog=examples(
        "harnest extensions install docker",
        "harnest extensions install 'docker>=0.5,<1' ../my-extension dist/other-1.0.whl",
        "harnest extensions install --link ../my-extension   # run a checkout in place",
    ),
)
@click.argument(
    "sources", metavar="SOURCE...", nargs=-1, required=True, shell_complete=source_names
)
@click.option("--upgrade", "-U", is_flag=True, help="Replace what is installed by other content.")
@click.option("--force", is_flag=True, help="Replace any copy, one edited by hand too.")
@click.option("--link", is_flag=True, help="Run folders in place instead of copying them.")
@resolving_options
@lookup_options
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    sources: tuple[str, ...],
    *,
    upgrade: bool,
    force: bool,
    link: bool,
    resolving: Resolving,
    lookup: LookupOptions,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Install extensions, and what they require.

    A SOURCE is a folder or a wheel (with a slash, or ending in .whl), or a name with an optional
    range. Everything is checked before anything is written; nothing of a package is executed.
    """
    options = resolving.options(output, upgrade=upgrade, force=force, link=link)
    manager = open_manager(project, output, wait=wait, lookup=lookup.lookup)
    with output.progress("Installing"):
        report = manager.install(sources, options, cwd=Path.cwd())
    tell(report, output)
    output.done(report_shape(report), report_text(report, "install"), dry_run=report.dry_run)
    if report.changed and not report.dry_run:
        output.note("Next: harnest env sync, which installs the Python packages they require.")
