from __future__ import annotations

from typing import TYPE_CHECKING

import jinja2
import pytest

from harnest_ext.errors import ExtensionNotFound, UsageError
from harnest_ext.scaffold.rendering import render
from harnest_ext.scaffold.template import Template, template_names

if TYPE_CHECKING:
    from pathlib import Path


def make(root: Path, descriptor: str, files: dict[str, str]) -> Template:
    """A template of these files below ``root/mine``."""
    folder = root / "mine"
    for name, text in {"template.toml": descriptor, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Template.load("mine", root=root)


WORD = '[variables.word]\nhelp = "A word."\npattern = "[a-z]+"\n'
HEAD = 'version = "1"\nsummary = "s"\n'


def test_names_and_contents_are_rendered_and_other_files_are_copied(tmp_path: Path) -> None:
    """Only `*.j2` files are rendered; braces in others stay as they are."""
    template = make(
        tmp_path,
        HEAD + WORD,
        {"files/{{ word }}.txt.j2": "<{{ word }}>\n", "files/raw.yml": "${{ github.ref }}"},
    )
    assert render(template, template.values({"word": "hello"})) == {
        "hello.txt": b"<hello>\n",
        "raw.yml": b"${{ github.ref }}",
    }


def test_a_later_layer_wins_and_a_choice_picks_one_of_several_files(tmp_path: Path) -> None:
    """Layers override one another; `[choose]` names the source by a variable."""
    template = make(
        tmp_path,
        HEAD + 'layers = ["../base", "files"]\n[choose]\nTERMS = "terms/{{ word }}.txt"\n' + WORD,
        {
            "../base/a": "base",
            "../base/b": "base",
            "files/b": "own",
            "terms/x.txt": "terms of x",
            "terms/y.txt": "terms of y",
        },
    )
    assert render(template, template.values({"word": "y"})) == {
        "TERMS": b"terms of y",
        "a": b"base",
        "b": b"own",
    }


def test_a_value_is_never_rendered_again(tmp_path: Path) -> None:
    """A value with template syntax arrives as text: values can't execute anything."""
    template = make(
        tmp_path, HEAD + '[variables.word]\npattern = ".*"\n', {"files/a.j2": "{{ word }}"}
    )
    values = template.values({"word": "{{ 7 * 7 }}"})
    assert render(template, values) == {"a": b"{{ 7 * 7 }}"}


@pytest.mark.parametrize("source", ["{{ undeclared }}", "{{ word.__class__.__mro__ }}"])
def test_a_template_reaches_nothing_but_its_values(tmp_path: Path, source: str) -> None:
    """Undeclared names and the insides of objects are errors, not empty text."""
    template = make(tmp_path, HEAD + WORD, {"files/a.j2": source})
    with pytest.raises(jinja2.TemplateError):
        render(template, template.values({"word": "x"}))


@pytest.mark.parametrize(
    ("value", "reason"), [(None, "no value"), ("UPPER", "pattern"), (("a",), "shape")]
)
def test_values_are_held_against_their_declaration(
    tmp_path: Path, value: str | tuple[str, ...] | None, reason: str
) -> None:
    """A missing, malformed or misshapen value is refused with the declaration's help."""
    template = make(tmp_path, HEAD + WORD, {"files/a": ""})
    with pytest.raises(UsageError, match="A word") as refusal:
        template.values({"word": value})
    assert reason in str(refusal.value)


def test_an_unknown_template_names_those_there_are(tmp_path: Path) -> None:
    """The refusal lists what can be chosen, and a path out of the folder is just unknown."""
    for name in ("nope", "../agent", "/etc"):
        with pytest.raises(ExtensionNotFound, match="agent") as refusal:
            Template.load(name)
        assert refusal.value.rule == "template.unknown"
    assert "agent" in template_names()
