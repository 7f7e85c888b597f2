"""``harnest extensions lock``: resolve the user's wishes again, install nothing."""

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
from harnest_ext.manager.locking import LockOptions
from harnest_ext.manager.plan import Permission

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "lock",
    epilog=examples("harnest extensions lock", "harnest extensions lock --upgrade --dry-run"),
)
@click.option("--upgrade", "-U", is_flag=True, help="Prefer newer releases to what is locked.")
@click.option("--pre", is_flag=True, help="Consider pre-releases.")
@click.option("--dry-run", is_flag=True, help="Say what would be locked and write nothing.")
@click.option("--accept-capabilities", is_flag=True, help="Accept further capabilities.")
@lookup_options
@wait_option
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    *,
    upgrade: bool,
    pre: bool,
    dry_run: bool,
    accept_capabilities: bool,
    lookup: LookupOptions,
    wait: float,
    project: Path | None,
    output: Output,
) -> None:
    """Resolve what pyproject.toml asks for again, and write the lock.

    No copy is touched; `harnest extensions sync` makes the copies equal the lock.
    """
    options = LockOptions(
        permission=Permission(consent=consent_of(output, accepted=accept_capabilities)),
        upgrade=upgrade,
        prereleases=pre,
        dry_run=dry_run,
    )
    manager = open_manager(project, output, wait=wait, lookup=lookup.lookup)
    with output.progress("Resolving"):
        report = manager.lock(options)
    tell(report, output)
    output.done(report_shape(report), report_text(report, "lock"), dry_run=report.dry_run)
