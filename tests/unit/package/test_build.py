"""Building wheels: the same bytes everywhere, correct metadata, nothing of the source run."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from importlib.metadata import Distribution, PathDistribution
from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import IncompatibleExtension, InvalidExtension, StoreError, UsageError
from harnest_ext.host import Host
from harnest_ext.package import build_wheel, check_package
from tests.corpus.cases import PROJECT, Demo, manifest

if TYPE_CHECKING:
    from pathlib import Path

HOST = Host(harnest_version="1.0.0", python_version="3.11.7")
RICH = """\
[project]
name = "harnest-extension-demo"
version = "1.0.0"
description = "Shows\\n how"
readme = "README.md"
license = "Apache-2.0"
license-files = ["LICENSE"]
requires-python = ">=3.11"
authors = [{name = "Ann"}, {name = "Bo", email = "bo@example.org"}]
maintainers = [{email = "cy@example.org"}]
keywords = ["a", "b"]
classifiers = ["Typing :: Typed"]
dependencies = ["harnest>=1,<2", "httpx>=0.27; python_version > '3'"]

[project.optional-dependencies]
fast = ["orjson", "uvloop; sys_platform != 'win32'"]

[project.urls]
Documentation = "https://docs.example.org/x"

[project.entry-points."harnest.extensions"]
demo = "harnest_extension_demo.extension:extension"
"""


@pytest.fixture(autouse=True)
def no_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds are told no time unless a test does so."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_same_files_give_the_same_wheel(tmp_path: Path) -> None:
    """Order of creation, modes, times, places and layout leave no trace in the wheel."""
    one = Demo().write_folder(tmp_path / "one")
    other = tmp_path / "elsewhere" / "two"
    for path in sorted(one.rglob("*"), reverse=True):
        if path.is_file():
            target = other / path.relative_to(one)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            target.chmod(0o600)
            os.utime(target, (1, 1))
    built = [build_wheel(p, tmp_path / p.name / "dist", host=HOST) for p in (one, other)]
    assert built[0].name == built[1].name == "harnest_extension_demo-1.0.0-py3-none-any.whl"
    assert sha256(built[0]) == sha256(built[1])
    assert sha256(build_wheel(one, tmp_path / "again", host=HOST)) == sha256(built[0])


def test_members_are_stored_sorted_and_dated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SOURCE_DATE_EPOCH is the time of every member; RECORD comes last."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    source = Demo(files={"lib/run.sh": "#!/bin/sh\n"}).write_folder(tmp_path / "demo")
    (source / "lib" / "run.sh").chmod(0o755)
    wheel = build_wheel(source, tmp_path / "out", host=HOST)
    with zipfile.ZipFile(wheel) as archive:
        members = archive.infolist()
    names = [m.filename for m in members]
    package = [n for n in names if n.startswith("harnest_extension_demo/")]
    assert package == sorted(package)
    assert names[-1] == "harnest_extension_demo-1.0.0.dist-info/RECORD"
    assert {m.compress_type for m in members} == {zipfile.ZIP_STORED}
    assert {m.date_time for m in members} == {(2026, 1, 1, 0, 0, 0)}
    modes = {m.filename.rpartition("/")[2]: m.external_attr >> 16 for m in members}
    assert (modes.pop("run.sh"), set(modes.values())) == (0o100755, {0o100644})


def test_folder_and_wheel_install_the_same_tree(tmp_path: Path) -> None:
    """A release is what its source is: both give one tree digest."""
    source = Demo(files={"LICENSE": "free", "CHANGELOG.md": "-"}).write_folder(tmp_path / "demo")
    wheel = build_wheel(source, tmp_path / "out", host=HOST)
    one, two = (check_package(p, host=HOST).package for p in (source, wheel))
    assert one is not None
    assert two is not None
    assert one.digest == two.digest
    assert (one.dependencies, one.host_range) == (two.dependencies, two.host_range)


def test_metadata_says_what_the_project_says(tmp_path: Path) -> None:
    """Every field of [project] stands in METADATA, one line each, the readme below."""
    files = {"pyproject.toml": RICH, "LICENSE": "free"}
    source = Demo(files=files).write_folder(tmp_path / "demo")
    wheel = build_wheel(source, tmp_path / "out", host=HOST)
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read("harnest_extension_demo-1.0.0.dist-info/METADATA")
        assert archive.read("harnest_extension_demo-1.0.0.dist-info/licenses/LICENSE") == b"free"
    message = message_from_bytes(data)
    assert message.items() == [
        ("Metadata-Version", "2.4"),
        ("Name", "harnest-extension-demo"),
        ("Version", "1.0.0"),
        ("Summary", "Shows how"),
        ("License-Expression", "Apache-2.0"),
        ("Author", "Ann"),
        ("Author-email", "Bo <bo@example.org>"),
        ("Maintainer-email", "cy@example.org"),
        ("Keywords", "a,b"),
        ("Classifier", "Typing :: Typed"),
        ("Project-URL", "Documentation, https://docs.example.org/x"),
        ("Requires-Python", ">=3.11"),
        ("License-File", "LICENSE"),
        ("Requires-Dist", "harnest>=1,<2"),
        ("Requires-Dist", "httpx>=0.27; python_version > '3'"),
        ("Provides-Extra", "fast"),
        ("Requires-Dist", "orjson; extra == 'fast'"),
        ("Requires-Dist", "uvloop; (sys_platform != 'win32') and extra == 'fast'"),
        ("Description-Content-Type", "text/markdown"),
    ]
    assert message.get_payload() == "# demo\n"


def test_the_usual_tools_install_and_read_the_wheel(tmp_path: Path) -> None:
    """Uv unpacks it and its entry point is found by the standard library."""
    source = Demo(files={"pyproject.toml": RICH, "LICENSE": "free"}).write_folder(tmp_path / "demo")
    wheel = build_wheel(source, tmp_path / "out", host=HOST)
    target = tmp_path / "site"
    command = ["uv", "pip", "install", "--no-deps", "--offline", "--target", str(target)]
    subprocess.run([sys.executable, "-m", *command, str(wheel)], check=True, capture_output=True)
    found: Distribution = PathDistribution(target / "harnest_extension_demo-1.0.0.dist-info")
    (entry,) = found.entry_points
    assert (entry.group, entry.name) == ("harnest.extensions", "demo")
    assert entry.value == "harnest_extension_demo.extension:extension"
    assert (target / "harnest_extension_demo" / "README.md").read_text() == "# demo\n"


def test_a_readme_that_is_not_copied_still_describes_the_release(tmp_path: Path) -> None:
    """README.rst stays out of the package and goes into METADATA."""
    project = PROJECT.replace("[project]", '[project]\nreadme = "README.rst"')
    files = {"pyproject.toml": project, "README.rst": "Demo\n"}
    wheel = build_wheel(Demo(files=files).write_folder(tmp_path / "d"), tmp_path, host=HOST)
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read("harnest_extension_demo-1.0.0.dist-info/METADATA")
    message = message_from_bytes(data)
    assert message["Description-Content-Type"] == "text/x-rst"
    assert message.get_payload() == "Demo\n"


def test_a_version_in_semver_spelling_is_published_in_its_normal_form(tmp_path: Path) -> None:
    """The manifest may say 1.0.0-rc.1; file name and METADATA say 1.0.0rc1."""
    files = {
        "extension.yaml": manifest(version="1.0.0-rc.1"),
        "pyproject.toml": PROJECT.replace('"1.0.0"', '"1.0.0rc1"'),
    }
    wheel = build_wheel(Demo(files=files).write_folder(tmp_path / "d"), tmp_path, host=HOST)
    assert wheel.name == "harnest_extension_demo-1.0.0rc1-py3-none-any.whl"


def test_an_earlier_wheel_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    """The folder of wheels holds wheels alone, also after a second build."""
    source = Demo().write_folder(tmp_path / "demo")
    first = sha256(build_wheel(source, tmp_path / "out", host=HOST))
    (source / "README.md").write_text("# new\n")
    second = build_wheel(source, tmp_path / "out", host=HOST)
    assert sha256(second) != first
    assert [path.name for path in (tmp_path / "out").iterdir()] == [second.name]


def test_nothing_is_built_of_what_breaks_a_rule(tmp_path: Path) -> None:
    """An invalid, an incompatible and a bare folder give an error and no file."""
    broken = Demo(files={"lib/client.py": "def ("}).write_folder(tmp_path / "broken")
    bare = Demo(files={"pyproject.toml": None}).write_folder(tmp_path / "bare")
    fine = Demo().write_folder(tmp_path / "fine")
    with pytest.raises(InvalidExtension, match=r"python\.syntax"):
        build_wheel(broken, tmp_path / "out", host=HOST)
    with pytest.raises(InvalidExtension, match=r"project\.missing"):
        build_wheel(bare, tmp_path / "out", host=HOST)
    with pytest.raises(IncompatibleExtension):
        build_wheel(fine, tmp_path / "out", host=Host(harnest_version="3.0"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["yesterday", "-1", "1.5", "\u0661", "1" * 13])
def test_a_time_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """SOURCE_DATE_EPOCH is taken as seconds or not at all."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(UsageError) as caught:
        build_wheel(Demo().write_folder(tmp_path / "d"), tmp_path, host=HOST)
    assert caught.value.rule == "build.source-date-epoch"


@pytest.mark.parametrize(
    ("text", "date"), [("0", (1980, 1, 1)), ("999999999999", (2107, 12, 31)), ("", (1980, 1, 1))]
)
def test_times_that_an_archive_can_not_state_are_brought_within_its_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, date: tuple[int, int, int]
) -> None:
    """1980 to 2107 is what ZIP knows."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    wheel = build_wheel(Demo().write_folder(tmp_path / "d"), tmp_path, host=HOST)
    with zipfile.ZipFile(wheel) as archive:
        assert {m.date_time[:3] for m in archive.infolist()} == {date}


def test_a_wheel_is_no_source_of_a_wheel(tmp_path: Path) -> None:
    """Building starts from a folder."""
    with pytest.raises(UsageError) as caught:
        build_wheel(Demo().write_wheel(tmp_path), tmp_path / "out", host=HOST)
    assert caught.value.rule == "build.not-a-folder"


def test_a_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    """A file where the folder should be is a clear refusal."""
    (tmp_path / "out").touch()
    with pytest.raises(StoreError) as caught:
        build_wheel(Demo().write_folder(tmp_path / "d"), tmp_path / "out", host=HOST)
    assert caught.value.rule == "build.unwritable"
