"""What a shell is offered for a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.names import installed_names, sandbox_names, source_names
from tests.support.packages import make_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command

PARAM = click.Argument(["name"])


def context(folder: Path) -> click.Context:
    """Return the context of a command that was given ``--project``."""
    made = click.Context(click.Command("show"))
    made.params["project"] = folder
    return made


def test_the_projects_extensions_are_offered(agent: Path) -> None:
    """Folders below extensions/ are names; the manager's own folder and files are not."""
    for name in ("docker", "process", ".harnest"):
        (agent / "extensions" / name).mkdir(parents=True)
    (agent / "extensions" / "notes.txt").touch()
    (agent / "deep" / "down").mkdir(parents=True)
    below = context(agent / "deep" / "down")
    assert installed_names(below, PARAM, "") == ["docker", "process"]
    assert installed_names(below, PARAM, "d") == ["docker"]


def test_the_projects_sandboxes_are_offered(agent: Path) -> None:
    """Modules below sandbox/ are names, private ones are not."""
    (agent / "sandbox").mkdir()
    for name in ("python.py", "_shared.py", "README.md"):
        (agent / "sandbox" / name).touch()
    assert sandbox_names(context(agent), PARAM, "") == ["python"]


def test_without_a_project_nothing_is_offered(tmp_path: Path) -> None:
    """Pressing the key outside of a project, or in an empty one, is no error."""
    assert installed_names(context(tmp_path), PARAM, "") == []
    (tmp_path / "config.yaml").touch()
    assert installed_names(context(tmp_path), PARAM, "") == []


def test_a_linked_extension_is_offered(harnest: Command, agent: Path) -> None:
    """It has no folder in the project: the lock names it."""
    source = make_folder(agent.parent / "src")
    assert harnest("extensions", "install", "--link", source, cwd=agent).code == 0
    assert installed_names(context(agent), PARAM, "w") == ["weather"]


def test_sources_are_names_that_ship_or_paths() -> None:
    """Where no name begins like that, or a path was begun, the shell completes paths."""
    made = click.Context(click.Command("install"))
    assert source_names(made, PARAM, "pro") == ["process"]
    for begun in ("./", "../a", "~/", "dist/", "no-such-name"):
        (item,) = source_names(made, PARAM, begun)
        assert not isinstance(item, str)
        assert (item.type, item.value) == ("file", begun)
