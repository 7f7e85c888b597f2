"""The JSON answers have the shapes that the reference shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest_ext.cli.table import COMMANDS

if TYPE_CHECKING:
    from tests.support.commands import Command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json.md"
SHOWN = dict(
    re.findall(
        r"^### harnest ([a-z ]+)\n.*?^```json\n(.*?)^```$",
        PAGE.read_text(),
        re.MULTILINE | re.DOTALL,
    )
)
STEPS = {
    "init": ("demo",),
    "extensions check": ("../official-extensions/process",),
    "extensions install": ("../official-extensions/process", "--force"),
    "extensions list": (),
    "extensions show": ("process",),
    "extensions tree": (),
    "extensions outdated": ("--offline",),
    "extensions search": ("--offline",),
    "extensions verify": (),
    "extensions doctor": (),
    "extensions build": ("../official-extensions/process", "--out", "dist"),
    "env sync": ("--dry-run",),
    "extensions init": ("weather",),
    "extensions test": ("weather",),
    "quickstart": ("../first", "--sandbox", "process"),
    "sandbox list": (),
    "sandbox run": ("python", "-c", "print(1)"),
    "sandbox doctor": (),
    "sandbox ps": (),
    "sandbox prune": (),
}
"""What is done one after the other, in a project that the first step makes."""

ALIKE = (
    ("extensions upgrade", "process"),
    ("extensions pin", "process"),
    ("extensions unpin", "process"),
    ("extensions lock",),
    ("extensions sync",),
    ("extensions uninstall", "process"),
    ("extensions rollback", "process"),
)
"""What answers as `extensions install` does, in an order in which each can be done."""


@pytest.fixture(scope="module")
def answers(
    installed: Command, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, object]:
    """The answer of every step."""
    place = tmp_path_factory.mktemp("shapes")
    (place / "official-extensions").symlink_to(root / "official-extensions")
    found = {}
    for name, arguments in STEPS.items():
        cwd = place if name == "init" else place / "demo"
        done = installed(*name.split(), *arguments, "--json", cwd=cwd)
        assert done.code == 0, (name, done.stderr)
        found[name] = done.json
    return found


def differences(shown: object, given: object, where: str = "") -> list[str]:
    """Return where an answer has other keys or other kinds of values than the example."""
    if isinstance(shown, dict) and isinstance(given, dict):
        if not shown:
            return []
        found = [f"{where}.{key}" for key in shown.keys() ^ given.keys()]
        for key in shown.keys() & given.keys():
            found += differences(shown[key], given[key], f"{where}.{key}")
        return found
    if isinstance(shown, list) and isinstance(given, list):
        return [d for item in given if shown for d in differences(shown[0], item, f"{where}[]")]
    if shown is None or given is None or type(shown) is type(given):
        return []
    return [f"{where}: {type(shown).__name__} is shown, {type(given).__name__} was given"]


def test_every_shown_answer_is_tried() -> None:
    """The page shows no shape that this test doesn't ask for, and the other way round."""
    assert SHOWN.keys() == STEPS.keys()


@pytest.mark.parametrize("name", STEPS)
def test_an_answer_has_the_shape_that_is_shown(name: str, answers: dict[str, object]) -> None:
    """Each key and each kind of value is as the reference says."""
    assert differences(json.loads(SHOWN[name]), answers[name]) == []


def test_what_changes_a_project_answers_as_install_does(installed: Command, clone: Path) -> None:
    """The page says so of these commands, and names what each did."""
    assert installed("init", "demo", cwd=clone).code == 0
    shown = json.loads(SHOWN["extensions install"])
    page = PAGE.read_text()
    for name, *arguments in ALIKE:
        done = installed(*name.split(), *arguments, "--json", cwd=clone / "demo")
        assert done.code == 0, (name, done.stderr)
        assert differences(shown, done.json, name) == []
        assert all(f"`{item['action']}`" in page for item in done.json["extensions"])
        assert f"`{name.removeprefix('extensions ')}`" in page


def test_every_command_that_answers_is_on_the_page() -> None:
    """None is left out: it has an example, or is said to answer as another."""
    alike = {name for name, *_ in ALIKE}
    assert SHOWN.keys() | alike == COMMANDS.keys() - {"completion"}
