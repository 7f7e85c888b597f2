"""``harnest init``: a new agent project from the template."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.options import common, examples
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.scaffold import DEFAULT_IMAGE, AgentScaffold, create_agent

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "init",
    epilog=examples(
        "harnest init demo",
        "harnest init demo --sandbox docker --image python:3.12-slim",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--sandbox",
    type=click.Choice(("process", "docker")),
    default="process",
    show_default=True,
    help="Extension that provides the sandbox. Only docker is a security boundary.",
)
@click.option(
    "--image", metavar="REF", help=f"Image for the Docker sandbox.  [default: {DEFAULT_IMAGE}]"
)
@click.option("--name", help="Name of the project.  [default: from the folder's name]")
@click.option("--no-install", is_flag=True, help="Don't install the sandbox's extension.")
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    folder: Path,
    *,
    sandbox: str,
    image: str | None,
    name: str | None,
    no_install: bool,
    project: Path | None,
    output: Output,
) -> None:
    """Make a new agent project in DIR, which must not exist yet or be empty.

    Its agent may run Python in one sandbox. The extension that provides it is installed from the
    registry that ships with Harnest; what requirements of its own it has, `harnest env sync`
    installs.
    """
    if project is not None:
        raise click.UsageError("init makes the project that DIR names; leave --project out.")
    made = create_agent(folder, name=name, sandbox=sandbox, image=image)
    installed = not no_install and _installed(made, output)
    steps = next_steps(made, folder, installed=installed)
    output.done(
        {
            "name": made.name,
            "folder": str(made.folder),
            "sandbox": made.sandbox,
            "image": made.image or None,
            "files": list(made.files),
            "installed": installed,
            "next": steps,
        },
        f"Created the agent project '{made.name}' in {folder} ({len(made.files)} files)"
        f"{f', with the extension {made.sandbox!r}' if installed else ''}.",
    )
    output.note("Next:" + "".join(f"\n  {step}" for step in steps))


def _installed(made: AgentScaffold, output: Output) -> bool:
    from harnest_ext.cli.provision import provide  # noqa: PLC0415 - not with --no-install or --help

    try:
        provide(made, output)
    except HarnestExtensionError as error:
        # The project is whole without it, and the next steps say how to install it.
        output.warn(f"The extension {made.sandbox!r} was not installed.\n{error}")
        return False
    return True


def next_steps(made: AgentScaffold, folder: Path, *, installed: bool) -> list[str]:
    """Return the commands that lead from the new project to a program's output.

    Args:
        made: What was created.
        folder: The folder as the user wrote it.
        installed: Whether the sandbox's extension is there already.
    """
    steps = [] if made.folder == Path.cwd() else [f"cd {shlex.quote(str(folder))}"]
    if not installed:
        steps.append(f"harnest extensions install {made.sandbox}")
    if made.sandbox == "docker":
        steps.append("harnest env sync")
    return [*steps, "harnest sandbox run python -c 'print(40*10)'"]
