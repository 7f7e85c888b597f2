"""``harnest extensions sync``: make extensions/ equal the lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.consent import consent_of
from harnest_ext.cli.extensions.lookup import LookupOptions, lookup_options
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.reporting import report_text, tell
from harnest_ext.cli.extensions.shapes import report_shape
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.options import common, examples
from harnest_ext.manager.plan import Permission
from harnest_ext.manager.sync import SyncOptions

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "sync", epilog=examples("harnest extensions sync", "harnest extensions sync --frozen   # in CI")
)
@click.option("--frozen", is_flag=True, help="Refuse a lock that is not what is asked for.")
@click.option("--force", is_flag=True, help="Replace copies that were edited by hand.")
@click.option("--dry-run", is_flag=True, help="Say what would be done and write nothing.")
@click.option("--accept-capabilities", is_flag=True, help="Accept further capabilities.")
@lookup_options
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    *,
    frozen: bool,
    force: bool,
    dry_run: bool,
    accept_capabilities: bool,
    lookup: LookupOptions,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Make extensions/ equal the lock: a fresh clone gets exactly the same bytes.

    A lock that is not what pyproject.toml asks for is made anew first; with --frozen it is refused.
    """
    permission = Permission(force=force, consent=consent_of(output, accepted=accept_capabilities))
    options = SyncOptions(permission=permission, frozen=frozen, dry_run=dry_run)
    manager = open_manager(project, output, wait=wait, lookup=lookup.lookup)
    with output.progress("Syncing"):
        report = manager.sync(options)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "sync"), dry_run=report.dry_run)
