"""``harnest extensions show``: all about one extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.shapes import details_shape
from harnest_ext.cli.extensions.texts import origin, state_text
from harnest_ext.cli.names import installed_names
from harnest_ext.cli.options import common, examples
from harnest_ext.text import printable

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output
    from harnest_ext.manager.details import ExtensionDetails

__all__ = ["command"]


@click.command(
    "show",
    epilog=examples("harnest extensions show docker", "harnest extensions show docker --json"),
)
@click.argument("name", shell_complete=installed_names)
@common
def command(name: str, *, project: Path | None, output: Output) -> None:
    """Show all about one installed extension."""
    details, problems = open_manager(project, output).show(name)
    for problem in problems:
        output.warn(problem.describe())
    output.result(details_shape(details), _text(details))


def _text(item: ExtensionDetails) -> str:
    asked = item.requirement or "any version"
    # What no lock entry describes is not known to come from somewhere, or to be content with less.
    missing = "none" if item.version else "unknown: it is not in the lock"
    rows = [
        ("name", item.name),
        ("version", item.version),
        ("state", state_text(item)),
        ("path", item.path),
        ("source", origin(item.source)),
        ("asked for", asked if item.requested else "as a requirement" if item.version else ""),
        ("digest", item.digest),
        ("capabilities", ", ".join(item.capabilities) or missing),
        ("requires", ", ".join(item.requires)),
        ("required by", ", ".join(item.required_by)),
        ("dependencies", ", ".join(item.dependencies)),
        ("harnest", item.host_range),
        ("python", item.requires_python),
        ("rollback to", item.previous),
        ("changed files", ", ".join(item.changes)),
    ]
    return "\n".join(f"{key + ':':<14} {printable(text, 600)}" for key, text in rows if text)
