"""Every command that the table names, held against the rules of the command line."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from harnest_ext.cli.lazy import load
from harnest_ext.cli.table import COMMANDS, GROUPS

PATHS = sorted(COMMANDS)


@pytest.mark.parametrize("path", PATHS)
def test_a_row_leads_to_its_command(path: str) -> None:
    """The command is named like its row and introduces itself by the same words."""
    command = load(COMMANDS[path][0])
    assert command.name == path.rsplit(maxsplit=1)[-1]
    assert command.help
    assert " " not in path or path.split(maxsplit=1)[0] in GROUPS


@pytest.mark.parametrize("path", PATHS)
def test_help_has_an_example_of_this_command(path: str) -> None:
    """The help of each command ends with an example that begins with the command itself."""
    command = load(COMMANDS[path][0])
    text = command.get_help(click.Context(command, info_name=path))
    assert "Example" in text
    assert f"harnest {path}" in text.partition("Example")[2]


@pytest.mark.parametrize("path", PATHS)
def test_every_command_takes_the_common_options(path: str) -> None:
    """Project, JSON, quiet and verbose work everywhere."""
    options = {name for p in load(COMMANDS[path][0]).params for name in p.opts}
    assert {"--project", "--json", "--quiet", "--verbose"} <= options


@pytest.mark.parametrize("path", PATHS)
def test_every_option_says_what_it_does(path: str) -> None:
    """No option stands in a help without a word."""
    silent = [
        p.name
        for p in load(COMMANDS[path][0]).params
        if isinstance(p, click.Option) and not p.help and not p.hidden
    ]
    assert silent == []


def test_help_of_a_group_imports_no_command() -> None:
    """The list of commands is read from the table: no command's module is imported for it."""
    program = (
        "import sys\n"
        "from harnest_ext.cli.main import run\n"
        "run(['extensions', '--help'])\n"
        "sys.exit(any(m.startswith('harnest_ext.cli.extensions.') for m in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["extensions", "--help"]])
def test_light_commands_stay_light(arguments: list[str]) -> None:
    """Version and help import none of the packages that cost more than click itself."""
    heavy = "pydantic docker rich tomlkit urllib3 resolvelib packaging importlib_metadata yaml"
    program = (
        "import sys\n"
        "from harnest_ext.cli.main import run\n"
        f"run({arguments!r})\n"
        f"print([m for m in {heavy.split()!r} if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr.decode().splitlines()[-1] == "[]"
