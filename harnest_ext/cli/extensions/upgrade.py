"""``harnest extensions upgrade``: newer versions within what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.completing import installed_names
from harnest_ext.cli.extensions.consent import consent_of
from harnest_ext.cli.extensions.lookup import LookupOptions, lookup_options
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.reporting import report_text, tell
from harnest_ext.cli.extensions.shapes import report_shape
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.options import common, examples
from harnest_ext.manager.install import InstallOptions
from harnest_ext.manager.plan import Permission

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
@click.option("--dry-run", is_flag=True, help="Say what would be done and write nothing.")
@click.option("--no-deps", is_flag=True, help="Refuse when something required is missing.")
@click.option("--pre", is_flag=True, help="Consider pre-releases.")
@click.option(
    "--cooldown",
    type=click.IntRange(min=0),
    default=0,
    metavar="DAYS",
    help="Pass over releases of an index that are younger.",
)
@click.option("--accept-capabilities", is_flag=True, help="Accept further capabilities.")
@lookup_options
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    names: tuple[str, ...],
    *,
    everything: bool,
    force: bool,
    dry_run: bool,
    no_deps: bool,
    pre: bool,
    cooldown: int,
    accept_capabilities: bool,
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
    options = InstallOptions(
        permission=Permission(
            force=force, consent=consent_of(output, accepted=accept_capabilities)
        ),
        no_deps=no_deps,
        prereleases=pre,
        cooldown=cooldown,
        dry_run=dry_run,
    )
    manager = open_manager(project, output, wait=wait, lookup=lookup.lookup)
    with output.progress("Upgrading"):
        report = manager.upgrade(names, options)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "upgrade"), dry_run=report.dry_run)
