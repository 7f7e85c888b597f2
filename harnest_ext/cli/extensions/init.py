"""``harnest extensions init``: a new extension, or what a newer template changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.names import capability_names, template_names
from harnest_ext.cli.options import common, examples

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output
    from harnest_ext.scaffold import ExtensionScaffold, TemplateUpdate

__all__ = ["command"]


@click.command(
    "init",
    epilog=examples(
        "harnest extensions init weather",
        "harnest extensions init weather --template context --license MIT",
        "harnest extensions init --update ./weather",
    ),
)
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--template",
    default="minimal",
    show_default=True,
    help="What to start from.",
    shell_complete=template_names,
)
@click.option(
    "--capability",
    multiple=True,
    metavar="NAME",
    help="Declare it; may be repeated.",
    shell_complete=capability_names,
)
@click.option("--summary", help="What it is for, in one sentence.")
@click.option("--license", "license_name", metavar="ID", help="Its licence.  [default: Apache-2.0]")
@click.option("--author", help="Holder of the copyright.")
@click.option(
    "--directory", type=click.Path(path_type=Path), metavar="DIR", help="[default: ./NAME]"
)
@click.option(
    "--update",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Show what a newer template would make otherwise in DIR; write nothing.",
)
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    name: str | None,
    *,
    template: str,
    capability: tuple[str, ...],
    summary: str | None,
    license_name: str | None,
    author: str | None,
    directory: Path | None,
    update: Path | None,
    project: Path | None,
    output: Output,
) -> None:
    """Make a new extension NAME that passes check, test and build as it is.

    Templates: minimal, context (a context per invocation with a credential), sandbox-provider (a
    working provider of sandboxes).
    """
    # Imported here: --help needs neither manifest nor templates.
    from harnest_ext.scaffold import compare, create_extension  # noqa: PLC0415

    del project  # an extension is made by itself
    if (name is None) == (update is None):
        raise click.UsageError("Give either the NAME of a new extension or --update DIR.")
    if update is not None:
        _show(compare(update), output)
        return
    made = create_extension(
        str(name),
        directory or Path(str(name)),
        template=template,
        capabilities=capability,
        summary=summary,
        license_name=license_name,
        author=author,
    )
    _tell(made, directory or Path(made.name), output)


def _tell(made: ExtensionScaffold, folder: Path, output: Output) -> None:
    steps = [
        f"harnest extensions check {folder}",
        f"harnest extensions test {folder}",
        f"harnest extensions build {folder}",
        f"harnest extensions install --link ./{folder}   # in an agent project",
    ]
    output.done(
        {
            "name": made.name,
            "folder": str(made.folder),
            "template": made.template,
            "capabilities": list(made.capabilities),
            "files": list(made.files),
            "next": steps,
        },
        f"Created the extension '{made.name}' in {folder} ({len(made.files)} files).",
    )
    output.note("Next:" + "".join(f"\n  {step}" for step in steps))


def _show(update: TemplateUpdate, output: Output) -> None:
    changes = [{"path": c.path, "state": c.state.value, "diff": c.diff} for c in update.changes]
    lines = [f"{update.template}: version {update.before} then, {update.now} now"]
    for change in update.changes:
        lines += [f"\n{change.path}: {change.state.value}", change.diff.rstrip("\n")]
    if not update.changes:
        lines.append("The template would make every file as it was made.")
    output.result(
        {
            "template": update.template,
            "before": update.before,
            "now": update.now,
            "changes": changes,
        },
        "\n".join(line for line in lines if line),
    )
