from __future__ import annotations

import ast
import os
import stat
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml

from harnest_ext.errors import StoreError, UsageError
from harnest_ext.scaffold import create_agent

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> list[str]:
    """Names of the entries of a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def test_a_new_project_is_complete_and_named_after_its_folder(tmp_path: Path) -> None:
    """The folder's name becomes the project's, in config.yaml and pyproject.toml alike."""
    made = create_agent(tmp_path / "My Agent 2")
    config = yaml.safe_load((made.folder / "config.yaml").read_text())
    project = tomllib.loads((made.folder / "pyproject.toml").read_text())
    assert made.name == "my-agent-2" == config["metadata"]["name"] == project["project"]["name"]
    assert config["spec"]["agents"] == [{"name": "assistant", "sandboxes": ["python"]}]
    assert project["tool"]["harnest"]["extensions"] == {}
    on_disk = {p.relative_to(made.folder).as_posix() for p in made.folder.rglob("*") if p.is_file()}
    assert on_disk == set(made.files)


@pytest.mark.parametrize(
    ("sandbox", "image", "module", "expected"),
    [
        ("process", None, "harnest.extensions.process", None),
        ("docker", None, "harnest.extensions.docker", "python:3.12-slim"),
        ("docker", "mirror:5000/py:3@sha256:" + "a" * 64, "harnest.extensions.docker", None),
    ],
)
def test_the_sandbox_follows_the_choice(
    tmp_path: Path, sandbox: str, image: str | None, module: str, expected: str | None
) -> None:
    """sandbox/python.py exports `python`, made by the chosen extension with the chosen image."""
    made = create_agent(tmp_path / "demo", sandbox=sandbox, image=image)
    tree = ast.parse((made.folder / "sandbox" / "python.py").read_text())
    imported = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert module in imported
    (exported,) = [node for node in tree.body if isinstance(node, ast.Assign)]
    assert isinstance(exported.targets[0], ast.Name)
    assert exported.targets[0].id == "python"
    assert isinstance(exported.value, ast.Call)
    keywords = {
        word.arg: word.value.value
        for word in exported.value.keywords
        if isinstance(word.value, ast.Constant)
    }
    assert keywords.get("image") == (expected or image)


def test_no_digest_is_invented(tmp_path: Path) -> None:
    """Without a digest from the user no file contains one; the comment shows how to pin."""
    made = create_agent(tmp_path / "demo", sandbox="docker")
    text = (made.folder / "sandbox" / "python.py").read_text()
    assert "@sha256:..." in text
    assert "docker image inspect" in text


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"sandbox": "podman"}, "template.value"),
        ({"sandbox": "docker", "image": 'x", evil="1'}, "template.value"),
        ({"sandbox": "docker", "image": "a@sha256:short"}, "template.value"),
        ({"image": "python:3"}, "init.image"),
        ({"name": "Bad Name"}, "template.value"),
        ({"name": "a" * 300}, "template.value"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_before_anything_is_written(
    tmp_path: Path, arguments: dict[str, str], rule: str
) -> None:
    """Values are held against the template's patterns first; the folder doesn't appear."""
    with pytest.raises(UsageError) as refusal:
        create_agent(tmp_path / "demo", **arguments)  # type: ignore[arg-type]
    assert refusal.value.rule == rule
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_letters_needs_a_name(tmp_path: Path) -> None:
    """A name that can't be derived is asked for, not made up."""
    with pytest.raises(UsageError) as refusal:
        create_agent(tmp_path / "2024")
    assert refusal.value.rule == "init.name"
    assert create_agent(tmp_path / "2024", name="diary").name == "diary"


@pytest.mark.parametrize("kind", ["file", "full", "link to full", "dangling link"])
def test_nothing_that_exists_is_overwritten(tmp_path: Path, kind: str) -> None:
    """An occupied target is refused with what is there, and stays byte for byte."""
    target = tmp_path / "demo"
    if kind == "file":
        target.write_text("mine")
    elif kind == "dangling link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        folder = target if kind == "full" else tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "config.yaml").write_text("mine")
        if kind != "full":
            target.symlink_to(folder)
    before = names(tmp_path)
    with pytest.raises(StoreError) as refusal:
        create_agent(target)
    assert (refusal.value.kind, refusal.value.rule) == ("conflict", "init.occupied")
    assert names(tmp_path) == before
    if target.exists():
        content = target if kind == "file" else target / "config.yaml"
        assert content.read_text() == "mine"


def test_an_empty_folder_is_filled_in_place(tmp_path: Path) -> None:
    """`mkdir demo; cd demo; harnest init .` works: the folder keeps its identity."""
    target = tmp_path / "demo"
    target.mkdir()
    inode = target.stat().st_ino
    made = create_agent(target)
    assert target.stat().st_ino == inode
    assert names(target) == sorted({name.split("/")[0] for name in made.files})


def test_missing_parents_are_made_and_the_folder_has_usual_permissions(tmp_path: Path) -> None:
    """The project can be read by others as the umask says; no staging folder is left."""
    umask = os.umask(0o022)
    try:
        made = create_agent(tmp_path / "a" / "b" / "demo")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(made.folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((made.folder / "config.yaml").stat().st_mode) == 0o644
    assert names(made.folder.parent) == ["demo"]


def test_a_parent_that_is_a_file_is_an_error_that_changes_nothing(tmp_path: Path) -> None:
    """What the system refuses becomes an io-error that names the target."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as refusal:
        create_agent(tmp_path / "file" / "demo")
    assert (refusal.value.kind, refusal.value.rule) == ("io-error", "init.write")
    assert names(tmp_path) == ["file"]
