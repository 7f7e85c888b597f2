"""Files and folders of a project that are not what they should be are named, never a crash."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import snapshot
from tests.support.packages import PackageSpec, make_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("harnest-extensions.lock", "list"),
        ("harnest-extensions.lock", "doctor"),
        ("pyproject.toml", "show"),
        ("pyproject.toml", "doctor"),
        ("extensions/.harnest/journal.json", "list"),
        ("extensions/.harnest/journal.json", "install"),
        ("extensions/.harnest/stamps.json", "verify"),
    ],
)
def test_a_folder_in_the_place_of_a_file_is_named(
    harnest: Command, agent: Path, path: str, command: str
) -> None:
    """Commands that read go on and warn; what writes refuses; the path is the project's own."""
    source = make_folder(agent.parent / "src")
    assert harnest("extensions", "install", source, cwd=agent).code == 0
    place = agent / path
    place.unlink(missing_ok=True)
    place.mkdir()
    argument = {"show": ["weather"], "install": [source, "--force"]}.get(command, [])
    done = harnest("extensions", command, *argument, cwd=agent)
    told = done.stdout + done.stderr
    assert "[cli.defect]" not in told
    # Stamps are a cache: without them the digest decides.
    assert path.endswith("stamps.json") or f"{path}: A file of the project can't be read" in told
    assert done.code == (1 if command in {"doctor", "install"} else 0), told


@pytest.mark.parametrize("kind", ["link", "file"])
def test_the_doctor_names_a_folder_of_copies_that_is_none(
    harnest: Command, agent: Path, kind: str
) -> None:
    """Nothing could be installed there: that is no clean bill of health."""
    place = agent / "extensions"
    if kind == "link":
        (agent.parent / "elsewhere").mkdir()
        place.symlink_to("../elsewhere")
    else:
        place.write_text("mine")
    done = harnest("extensions", "doctor", "--json", cwd=agent)
    assert done.code == 1
    assert ("extensions", "store.destination") in {
        (found["path"], found["rule"]) for found in done.json["findings"]
    }


@pytest.mark.parametrize("link", [[], ["--link"]])
def test_a_source_whose_path_no_text_can_name_is_refused(
    harnest: Command, agent: Path, link: list[str]
) -> None:
    """The lock is UTF-8: what it could not name is refused by rule, and nothing is written."""
    try:
        parent = agent.parent / os.fsdecode(b"x\xff")
        parent.mkdir()
    except OSError:
        pytest.skip("this file system takes no names that are not UTF-8")
    make_folder(parent)
    before = snapshot(agent)
    done = harnest("extensions", "install", *link, f"{parent}/weather", "--json", cwd=agent)
    assert (done.code, done.error["rule"]) == (1, "install.path")
    assert snapshot(agent) == before


def test_a_refusal_says_which_package_it_is_about(harnest: Command, agent: Path) -> None:
    """Its paths are inside of the package, and the agent has files of the same names."""
    make_folder(agent.parent / "src")
    make_folder(agent.parent / "src", PackageSpec(name="broken", files={"lib/x.py": "def ("}))
    done = harnest("extensions", "install", "../src/weather", "../src/broken", "--json", cwd=agent)
    assert (done.code, done.error["path"], done.error["line"]) == (1, "lib/x.py", 1)
    assert done.error["details"] == ["in the folder ../src/broken"]


def test_the_doctor_names_a_linked_folder_that_is_gone(harnest: Command, agent: Path) -> None:
    """A sync can't bring it back, so none is proposed."""
    source = make_folder(agent.parent / "src")
    assert harnest("extensions", "install", "--link", source, cwd=agent).code == 0
    source.rename(source.with_name("moved"))
    done = harnest("extensions", "doctor", "--json", cwd=agent)
    (found,) = done.json["findings"]
    assert (found["path"], found["rule"]) == ("../src/weather", "sync.source-missing")
    assert found["fixable"] is False


def test_what_is_not_in_the_lock_is_not_made_up(harnest: Command, agent: Path) -> None:
    """Of a copy without an entry nobody knows the capabilities, or who wanted it."""
    make_folder(agent / "extensions")
    shown = harnest("extensions", "show", "weather", cwd=agent)
    assert shown.code == 0
    assert "capabilities:  unknown: it is not in the lock\n" in shown.stdout
    assert "requirement" not in shown.stdout
