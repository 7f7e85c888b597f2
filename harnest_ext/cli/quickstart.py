"""``harnest quickstart``: from nothing to a program that ran in an extension's sandbox."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli import rules
from harnest_ext.cli.options import common, examples
from harnest_ext.errors import LoadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.cli.choosing import Choice
    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "quickstart",
    epilog=examples(
        "harnest quickstart",
        "harnest quickstart demo",
        "harnest quickstart demo --sandbox docker --image python:3.12-slim",
    ),
)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--sandbox",
    type=click.Choice(("process", "docker")),
    help="Where to run it.  [default: docker where it works, else process]",
)
@click.option("--image", metavar="REF", help="Image for Docker.")
@common
def command(
    folder: Path | None,
    *,
    sandbox: str | None,
    image: str | None,
    project: Path | None,
    output: Output,
) -> None:
    """Make a project in DIR, install a sandbox's extension, run a program in it.

    Says what it does and why. Without DIR the project is made in a temporary folder and removed
    again.
    """
    if project is not None:
        raise click.UsageError("quickstart makes the project that DIR names; leave --project out.")
    if image and sandbox == "process":
        raise click.UsageError("--image goes with --sandbox docker.")
    # Imported here: --help needs neither manager nor runtime.
    from harnest_ext.cli.choosing import choose  # noqa: PLC0415

    choice = choose(output, wanted=sandbox, image=image)
    output.note(f"Using {choice.sandbox}, because {choice.reason}.")
    with _place(folder) as target:
        _run(target, choice, output, kept=folder)


@contextlib.contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="harnest-quickstart-") as temporary:
        yield Path(temporary) / "demo"


def _run(target: Path, choice: Choice, output: Output, *, kept: Path | None) -> None:
    from harnest_ext.cli.choosing import PROGRAM, first_run  # noqa: PLC0415 - as above
    from harnest_ext.cli.provision import provide  # noqa: PLC0415 - as above
    from harnest_ext.scaffold import create_agent  # noqa: PLC0415 - as above

    made = create_agent(target, sandbox=choice.sandbox, image=choice.image)
    output.note(f"Made the agent project '{made.name}' in {kept or 'a temporary folder'}.")
    report = provide(made, output)
    version = next((c.version for c in report.changes if c.name == made.sandbox), "")
    output.note(f"Installed the extension {made.sandbox} {version} in it.".replace("  ", " "))
    output.note(f"Running in its sandbox: {PROGRAM}")
    result = first_run(made)
    if result.exit_code != 0:
        raise LoadError(
            rules.QUICKSTART_RUN.problem(
                "The program did not run to its end.", got=result.status.value
            )
        )
    output.result(
        {
            "sandbox": choice.sandbox,
            "reason": choice.reason,
            "image": choice.image,
            "folder": str(made.folder) if kept else None,
            "status": result.status.value,
            "stdout": result.stdout,
        },
        result.stdout.rstrip("\n"),
    )
    if kept:
        output.note(f"Go on: cd {kept} && harnest sandbox run python -c 'print(1)'")
