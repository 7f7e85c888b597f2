from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harnest_ext.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_init_says_what_it_made_and_what_comes_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The JSON answer names the project, its folder, its files and the next commands."""
    code = run(["init", str(tmp_path / "demo"), "--no-install", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (answer["name"], answer["sandbox"], answer["image"]) == ("demo", "process", None)
    assert all((tmp_path / "demo" / name).is_file() for name in answer["files"])
    assert "harnest extensions install process" in answer["next"]


def test_init_tells_truly_whether_the_extension_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is installed from the registry that ships; where that has none the next step says so."""
    assert run(["init", str(tmp_path / "demo"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    there = (tmp_path / "demo" / "extensions" / "process" / "extension.yaml").is_file()
    assert answer["installed"] is there
    assert ("harnest extensions install process" in answer["next"]) is not there


def test_init_over_a_full_folder_exits_1_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that holds something is refused with a clear error."""
    (tmp_path / "notes.txt").write_text("mine")
    assert run(["init", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "notes.txt" in error
    assert "Nothing was changed." in error
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_init_with_a_bad_image_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Values from the command line are held against the template's patterns: exit 2."""
    code = run(["init", str(tmp_path / "demo"), "--sandbox", "docker", "--image", "a b"])
    assert code == 2
    assert "image" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()
