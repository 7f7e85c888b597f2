"""``harnest env sync``: install what the agent and its extensions require of Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.opening import open_project
from harnest_ext.cli.options import common, examples
from harnest_ext.cli.places import URL

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output
    from harnest_ext.environment import PackageChange, SyncReport
    from harnest_ext.store.project import Project

__all__ = ["command"]


@click.command(
    "sync",
    epilog=examples(
        "harnest env sync",
        "harnest env sync --dry-run",
        "harnest env sync --frozen --python .venv/bin/python",
    ),
)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--frozen", is_flag=True, help="Install exactly the lock; refuse one that is stale.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; change nothing.")
@click.option("--upgrade", "-U", is_flag=True, help="Take newer versions than those in the lock.")
@click.option(
    "--python",
    type=click.Path(path_type=Path),
    metavar="PYTHON",
    help="A Python or a virtual environment. Default: the one that runs Harnest.",
)
@click.option(
    "--index-url", type=URL, metavar="URL", help="Package index in place of the configured one."
)
@click.option("--offline", is_flag=True, help="Ask nothing over the network; uv's cache answers.")
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    folder: Path | None,
    *,
    frozen: bool,
    dry_run: bool,
    upgrade: bool,
    python: Path | None,
    index_url: str | None,
    offline: bool,
    project: Path | None,
    output: Output,
) -> None:
    """Install the Python packages that the agent and its extensions require.

    All requirements are solved together and written, with a hash for every file, to
    pylock.harnest.toml. Packages are added and changed, never removed, and Harnest itself is never
    changed. DIR is the agent project, as --project names it.
    """
    from harnest_ext.environment import SyncOptions, sync  # noqa: PLC0415 - help needs none of it

    if frozen and upgrade:
        raise click.UsageError("--frozen installs the lock as it is; --upgrade makes another one.")
    found = open_project(folder or project)
    options = SyncOptions(
        python=python,
        frozen=frozen,
        dry_run=dry_run,
        upgrade=upgrade,
        index_url=index_url or _configured(found),
        offline=offline,
        told=output.detail,
    )
    with output.progress("Solving and installing"):
        report = sync(found, options)
    output.done(_shape(report), _text(report), dry_run=report.dry_run)


def _configured(project: Project) -> str:
    """The index that the project or pip is configured with; uv reads its own configuration."""
    from harnest_ext.sources.configured import (  # noqa: PLC0415 - as above
        SourceOptions,
        source_settings,
    )

    if any(os.environ.get(name) for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL")):
        return ""
    settings = source_settings(project.root, SourceOptions(), cwd=Path.cwd())
    return settings.index.url if settings.index else ""


def _text(report: SyncReport) -> str:
    lines = [_line(change, dry_run=report.dry_run) for change in report.changes]
    if not lines:
        lines = ["The environment holds everything that is required."]
    if report.lock_changed:
        lines.append(f"{'would write' if report.dry_run else 'wrote'} {report.lock.name}")
    if report.dry_run:
        lines.append("Dry run: nothing was written or installed.")
    return "\n".join(lines)


def _line(change: PackageChange, *, dry_run: bool) -> str:
    done = "change" if change.previous else "install"
    verb = f"would {done}" if dry_run else f"{done.removesuffix('e')}ed"
    was = f" (was {change.previous})" if change.previous else ""
    return f"{verb} {change.name} {change.version}{was}"


def _shape(report: SyncReport) -> dict[str, object]:
    return {
        "lock": str(report.lock),
        "python": str(report.python),
        "requirements": [
            {"requirement": demand.text, "owner": demand.owner} for demand in report.demands
        ],
        "changes": [
            {"name": item.name, "version": item.version, "previous": item.previous}
            for item in report.changes
        ],
        "lock_changed": report.lock_changed,
        "dry_run": report.dry_run,
    }
