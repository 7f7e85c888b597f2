"""Finding the agent project that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import ExtensionNotFound, InvalidExtension
from harnest_ext.store import Project

if TYPE_CHECKING:
    from pathlib import Path

AGENT = "apiVersion: harnest.dev/v1alpha1\nkind: Agent\nmetadata:\n  name: demo\n"


@pytest.mark.parametrize(
    "text",
    [
        AGENT,
        AGENT.replace("\n", "\r\n"),
        "kind: 'Agent'   # one\napiVersion: \"harnest.dev/v1alpha1\"\nmetadata: {name: demo}\n",
        "{apiVersion: harnest.dev/v1alpha1, kind: Agent, metadata: {name: demo}}",
        '"kind": Agent\n"apiVersion": harnest.dev/v1alpha1\nmetadata: {"name": demo}\n',
    ],
)
def test_an_agent_is_known_in_any_style_of_yaml(tmp_path: Path, text: str) -> None:
    """Its two marking keys and its name are found however they are written."""
    (tmp_path / "config.yaml").write_bytes(text.encode())
    project = Project.at(tmp_path)
    assert (project.root, project.name) == (tmp_path.resolve(), "demo")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kind: Agent\n",
        AGENT.replace("Agent", "Extension"),
        AGENT.replace("v1alpha1", "v9"),
        "- a\n- list\n",
        "a: [\n",
        "\x00",
        "a: " + "[" * 5000,
    ],
)
def test_another_config_is_refused_with_what_is_expected(tmp_path: Path, text: str) -> None:
    """A file of that name which is not an agent's is told apart from none at all."""
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(InvalidExtension) as caught:
        Project.at(tmp_path)
    assert (caught.value.kind, caught.value.rule) == ("project-invalid", "project.config")
    assert "kind: Agent" in caught.value.expected


def test_the_nearest_agent_upward_is_found(tmp_path: Path) -> None:
    """From anywhere inside; a config.yaml of something else on the way is passed over."""
    (tmp_path / "config.yaml").write_text(AGENT)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "config.yaml").write_text("other: tool\n")
    assert Project.find(inner).root == tmp_path.resolve()
    with pytest.raises(InvalidExtension):
        Project.at(tmp_path / "a")


def test_no_agent_is_told_with_the_way_to_make_one(tmp_path: Path) -> None:
    """The remedy is a command that can be typed."""
    with pytest.raises(ExtensionNotFound) as caught:
        Project.find(tmp_path)
    assert caught.value.kind == "project-not-found"
    assert "harnest init" in caught.value.remedy
    with pytest.raises(ExtensionNotFound):
        Project.at(tmp_path / "absent")
