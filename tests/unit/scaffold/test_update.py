from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from harnest_ext.cli.main import run
from harnest_ext.errors import ExtensionNotFound, InvalidExtension
from harnest_ext.resources import templates_folder
from harnest_ext.scaffold import FileState, compare, create_extension
from harnest_ext.scaffold.record import RECORD, TemplateRecord

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A copy of the templates in which `minimal` has a newer version."""
    root = tmp_path / "templates"
    shutil.copytree(templates_folder(), root)
    minimal = root / "extension" / "minimal"
    descriptor = minimal / "template.toml"
    descriptor.write_text(descriptor.read_text().replace('version = "1"', 'version = "2"'))
    greeting = minimal / "files" / "lib" / "greeting.py"
    greeting.write_text(greeting.read_text().replace("Hello", "Good day"))
    readme = minimal / "files" / "README.md.j2"
    readme.write_text(readme.read_text() + "\nMore to read about {{ name }}.\n")
    (minimal / "files" / "lib" / "added.py").write_text('"""Added."""\n')
    (root / "extension" / "common" / "files" / "CHANGELOG.md").unlink()
    return root


def test_without_a_newer_template_nothing_has_changed(tmp_path: Path) -> None:
    """What was just made equals what would be made; the author's own edits don't count."""
    made = create_extension("demo", tmp_path / "x")
    (made.folder / "lib" / "greeting.py").write_text("mine")
    update = compare(made.folder)
    assert (update.before, update.now, update.changes) == ("1", "1", ())


def test_a_newer_template_shows_each_file_and_whose_change_it_is(
    tmp_path: Path, newer: Path
) -> None:
    """New, changed, changed by both, and gone are told apart; nothing is written."""
    made = create_extension("demo", tmp_path / "x")
    (made.folder / "README.md").write_text("my own words\n")
    before = {p: p.read_bytes() for p in made.folder.rglob("*") if p.is_file()}
    update = compare(made.folder, root=newer)
    states = {change.path: change.state for change in update.changes}
    assert (update.before, update.now) == ("1", "2")
    assert states == {
        "CHANGELOG.md": FileState.GONE,
        "README.md": FileState.BOTH,
        "lib/added.py": FileState.NEW,
        "lib/greeting.py": FileState.CHANGED,
    }
    (greeting,) = [change for change in update.changes if change.path == "lib/greeting.py"]
    assert '-    return f"Hello' in greeting.diff
    assert '+    return f"Good day' in greeting.diff
    (readme,) = [change for change in update.changes if change.path == "README.md"]
    assert "-my own words" in readme.diff
    assert "+More to read about demo." in readme.diff
    assert {p: p.read_bytes() for p in made.folder.rglob("*") if p.is_file()} == before


def test_the_record_survives_every_value(tmp_path: Path) -> None:
    """What is written is what is read, for texts and lists."""
    made = create_extension(
        "demo", tmp_path / "x", author="O'Neill é", capabilities=["native.adk", "policy.output"]
    )
    record = TemplateRecord.read(made.folder)
    assert record.values["author"] == "O'Neill é"
    assert record.values["capabilities"] == ("native.adk", "policy.output")
    assert record.render() == (made.folder / RECORD).read_bytes()
    assert set(record.digests) == set(made.files) - {RECORD}


def test_a_folder_without_a_record_says_so(tmp_path: Path) -> None:
    """--update elsewhere is refused with the reason."""
    with pytest.raises(ExtensionNotFound) as refusal:
        compare(tmp_path)
    assert refusal.value.rule == "template.no-record"


@pytest.mark.parametrize("text", ["not toml [", "template = 1", "x" * 2_000_000])
def test_a_broken_record_is_refused(tmp_path: Path, text: str) -> None:
    """A record that somebody damaged is no reason for a traceback."""
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(InvalidExtension) as refusal:
        compare(tmp_path)
    assert refusal.value.rule == "template.record"


def test_the_command_shows_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`harnest extensions init --update DIR` prints versions and exits 0."""
    made = create_extension("demo", tmp_path / "x")
    assert run(["extensions", "init", "--update", str(made.folder)]) == 0
    assert "version 1 then, 1 now" in capsys.readouterr().out
