from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml

from harnest_ext.cli.main import run
from harnest_ext.errors import ExtensionNotFound, InvalidExtension, StoreError, UsageError
from harnest_ext.host import Host
from harnest_ext.package import build_wheel, check_package
from harnest_ext.scaffold import LICENSES, create_extension, extension_templates

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATES = ("context", "minimal", "sandbox-provider")


def test_the_templates_are_those_that_are_documented() -> None:
    """No template is added or lost without a word."""
    assert extension_templates() == TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_a_template_makes_breaks_no_rule(tmp_path: Path, template: str) -> None:
    """`check` finds nothing at all in it, not even a warning."""
    made = create_extension("my_own2", tmp_path / "x", template=template)
    report = check_package(made.folder, host=Host())
    assert [problem.rule for problem in report.problems] == []
    assert report.package is not None
    assert report.package.slug == "my_own2"
    assert report.package.capabilities == made.capabilities
    assert report.package.host_range


@pytest.mark.parametrize("template", TEMPLATES)
def test_both_ways_of_building_give_the_same_package(tmp_path: Path, template: str) -> None:
    """Setuptools and `harnest extensions build` make a wheel of the folder's very content."""
    made = create_extension("demo", tmp_path / "x", template=template)
    program = "import setuptools.build_meta as b, sys; b.build_wheel(sys.argv[1])"
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "theirs")],
        cwd=made.folder,
        check=True,
        capture_output=True,
    )
    ours = build_wheel(made.folder, tmp_path / "ours", host=Host())
    (theirs,) = (tmp_path / "theirs").iterdir()
    assert ours.name == theirs.name == "harnest_extension_demo-0.1.0-py3-none-any.whl"
    digests = set()
    for path in (made.folder, ours, theirs):
        report = check_package(path, host=Host())
        assert report.ok
        assert report.package is not None
        digests.add(report.package.digest)
    assert len(digests) == 1


@pytest.mark.parametrize("name", LICENSES)
def test_the_licence_is_the_one_that_was_chosen(tmp_path: Path, name: str) -> None:
    """Text and metadata agree, and the holder stands in the text where the licence names one."""
    made = create_extension("demo", tmp_path / "x", license_name=name, author="Ada Lovelace")
    project = tomllib.loads((made.folder / "pyproject.toml").read_text())["project"]
    text = (made.folder / "LICENSE").read_text()
    first = {"Apache-2.0": "Apache License", "MIT": "MIT License", "BSD-3-Clause": "BSD 3-Clause"}
    assert project["license"] == ("LicenseRef-Proprietary" if name == "Proprietary" else name)
    assert first.get(name, "All rights reserved") in text
    assert ("Ada Lovelace" in text) == (name != "Apache-2.0")


def test_capabilities_are_the_templates_and_those_asked_for(tmp_path: Path) -> None:
    """The manifest declares each once, sorted."""
    asked = ("telemetry.exporter", "context.credentials")
    made = create_extension("demo", tmp_path / "x", template="context", capabilities=asked)
    manifest = yaml.safe_load((made.folder / "extension.yaml").read_text())
    assert manifest["capabilities"] == ["context.credentials", "telemetry.exporter"]
    assert made.capabilities == ("context.credentials", "telemetry.exporter")


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("Bad-Name", {}, InvalidExtension),
        ("class", {}, InvalidExtension),
        ("demo", {"template": "nope"}, ExtensionNotFound),
        ("demo", {"template": "../agent"}, ExtensionNotFound),
        ("demo", {"capabilities": ["fly"]}, UsageError),
        ("demo", {"summary": 'say "hi"'}, UsageError),
        ("demo", {"summary": "two\nlines"}, UsageError),
        ("demo", {"license_name": "WTFPL"}, UsageError),
        ("demo", {"author": ""}, UsageError),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_made(
    tmp_path: Path, name: str, options: dict[str, object], error: type[Exception]
) -> None:
    """Names, templates, capabilities and texts are checked first."""
    with pytest.raises(error):
        create_extension(name, tmp_path / "x", **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_an_existing_extension_is_never_overwritten(tmp_path: Path) -> None:
    """A second init in the same folder is refused; the first one stays."""
    made = create_extension("demo", tmp_path / "x")
    (made.folder / "lib" / "greeting.py").write_text("mine")
    with pytest.raises(StoreError):
        create_extension("demo", tmp_path / "x")
    assert (made.folder / "lib" / "greeting.py").read_text() == "mine"


def test_the_command_says_what_it_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`harnest extensions init NAME` makes ./NAME and answers in JSON."""
    monkeypatch.chdir(tmp_path)
    assert run(["extensions", "init", "weather", "--template", "context", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["name"], answer["template"]) == ("weather", "context")
    assert answer["capabilities"] == ["context.credentials"]
    assert (tmp_path / "weather" / "extension.yaml").is_file()


@pytest.mark.parametrize("arguments", [[], ["weather", "--update", "."]])
def test_a_name_or_an_update_is_asked_for_not_both(arguments: list[str]) -> None:
    """The command line is refused as such: exit 2."""
    assert run(["extensions", "init", *arguments]) == 2
