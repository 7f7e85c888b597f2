"""``harnest extensions install``: from folders, wheels and names into the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--upgrade", "-U", is_flag=True, help="Replace what is installed by other content.")
@click.option("--force", is_flag=True, help="Replace any copy, one edited by hand too.")
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
@click.option("--link", is_flag=True, help="Run folders in place instead of copying them.")
@lookup_options
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    sources: tuple[str, ...],
    *,
    upgrade: bool,
    force: bool,
    dry_run: bool,
    no_deps: bool,
    pre: bool,
    cooldown: int,
    accept_capabilities: bool,
    link: bool,
    lookup: LookupOptions,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Install extensions, and what they require.

    A SOURCE is a folder or a wheel (with a slash, or ending in .whl), or a name with an optional
    range. Everything is checked before anything is written; nothing of a package is executed.
    """
    options = InstallOptions(
        permission=Permission(
            upgrade=upgrade,
            force=force,
            consent=consent_of(output, accepted=accept_capabilities),
        ),
        link=link,
        no_deps=no_deps,
        prereleases=pre,
        cooldown=cooldown,
        dry_run=dry_run,
    )
    manager = open_manager(project, output, wait=wait, lookup=lookup.lookup)
    with output.progress("Installing"):
        report = manager.install(sources, options, cwd=Path.cwd())
    tell(report, output)
    output.done(report_shape(report), report_text(report, "install"), dry_run=report.dry_run)
    if report.changed and not dry_run:
        output.note("Next: harnest env sync, which installs the Python packages they require.")
