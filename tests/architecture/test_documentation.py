"""What the documentation names is there, and what is there is named."""

from __future__ import annotations

import ast
import re
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import pytest

import harnest
from harnest_ext.cli.lazy import load
from harnest_ext.cli.table import COMMANDS
from tests.architecture.source import ROOT

if TYPE_CHECKING:
    from pathlib import Path

GUIDES = [
    ROOT / "README.md",
    *sorted(
        page
        for folder in ("tutorial", "how-to", "explanation")
        for page in (ROOT / "docs" / folder).glob("*.md")
    ),
    *sorted((ROOT / "official-extensions").glob("*/README.md")),
]
FOREIGN = {"--host": "dockerd", "--die-with-parent": "bwrap"}
"""Options of other programs, and of which."""


def options(command: str) -> set[str]:
    """Every option of one command."""
    parameters = load(COMMANDS[command][0]).params
    return {"--help", *(name for each in parameters for name in each.opts)}


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: str(page.relative_to(ROOT)))
def test_an_option_that_a_page_names_is_one(page: Path) -> None:
    """A text that is nothing but an option means one of some command of ours."""
    known = FOREIGN.keys() | {name for command in COMMANDS for name in options(command)}
    named = set(re.findall(r"`(--[a-z-]+)[^`]*`", page.read_text("utf-8")))
    assert named <= known


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_line_that_a_page_shows_can_be_typed(page: Path) -> None:
    """In the text or after a prompt: the command is one, and has the options."""
    text = page.read_text("utf-8")
    shown = re.findall(r"`harnest ([^`]+)`|^\$ .*?\bharnest ([^&|#\n]+)", text, re.MULTILINE)
    wrong = []
    for line in (first or second for first, second in shown):
        words = line.split(" -- ")[0].split()
        command = next((c for c in (" ".join(words[:2]), words[0]) if c in COMMANDS), "")
        ours = re.match(r"[^'\"]*", line)
        named = re.findall(r"(?<!\S)--[a-z-]+", ours.group() if ours else "")
        known = options(command) if command else set()
        if (command or len(words) > 1) and not (command and set(named) <= known):
            wrong.append(line)
    assert wrong == []


def test_every_module_of_limits_is_in_the_reference() -> None:
    """A bound that can be reached can be looked up."""
    generator = (ROOT / "docs" / "generate.py").read_text("utf-8")
    kept = [
        str(path.relative_to(ROOT))
        for folder in ("harnest", "harnest_ext", "official-extensions")
        for path in sorted((ROOT / folder).rglob("limits.py"))
    ]
    assert [name for name in kept if f'"{name}"' not in generator] == []


def test_every_public_module_is_in_the_reference() -> None:
    """What can be imported from `harnest` without an underscore can be looked up."""
    shown = (ROOT / "docs" / "reference" / "interface.md").read_text("utf-8")
    modules = [module.name for module in iter_modules(harnest.__path__)]
    public = [f"## harnest.{name}\n" for name in modules if not name.startswith("_")]
    assert [name for name in public if name not in shown] == []


def test_every_problem_is_of_a_documented_rule() -> None:
    """None is made from texts: it would be told by a name that can't be looked up."""
    literal = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "harnest_ext").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Problem")
        for keyword in node.keywords
        if keyword.arg == "rule" and isinstance(keyword.value, ast.Constant | ast.JoinedStr)
    ]
    assert literal == []
