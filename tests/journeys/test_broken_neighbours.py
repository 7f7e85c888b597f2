"""One thing that is broken stops nothing else: it is named, and can be shown and removed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import Command
from tests.support.packages import PackageSpec, make_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Outcome
    from tests.support.installation import Installation


class Neighbours:
    """A project with two sound extensions, about to get a broken neighbour."""

    def __init__(self, harnest: Command, agent: Path) -> None:
        self._harnest = harnest
        self.agent = agent
        for name in ("rain", "weather"):
            make_folder(agent.parent / "src", PackageSpec(name=name))
        assert self("install", "../src/rain", "../src/weather").code == 0

    def __call__(self, *arguments: str, **variables: str) -> Outcome:
        """Run `harnest extensions ... --json` in the project."""
        return self._harnest("extensions", *arguments, "--json", cwd=self.agent, **variables)

    def states(self, **variables: str) -> dict[str, str]:
        """Return name to state as `list` has it."""
        outcome = self("list", **variables)
        assert outcome.code == 0, outcome.stderr
        return {item["name"]: item["state"] for item in outcome.json["extensions"]}

    def findings(self) -> set[tuple[str, str]]:
        """Return path and rule of all that `doctor` finds."""
        return {(f["path"], f["rule"]) for f in self("doctor").json["findings"]}


@pytest.fixture
def neighbours(harnest: Command, agent: Path) -> Neighbours:
    """Two sound extensions."""
    return Neighbours(harnest, agent)


def test_a_broken_extension_can_be_listed_shown_and_removed(neighbours: Neighbours) -> None:
    """Without its manifest and with code that does not parse it is still managed."""
    copy = neighbours.agent / "extensions" / "weather"
    (copy / "extension.yaml").unlink()
    (copy / "extension.py").write_bytes(b"\x00 def (((")
    assert neighbours.states() == {"rain": "ok", "weather": "modified"}
    assert neighbours("show", "weather").json["state"] == "modified"
    assert neighbours.findings() == {("extensions/weather", "doctor.modified")}
    assert neighbours("uninstall", "weather").code == 0
    assert neighbours.states() == {"rain": "ok"}


@pytest.mark.parametrize(
    "text",
    [
        "not toml [",
        "<<<<<<< ours\nlock-version = 1\n=======\nlock-version = 1\n>>>>>>> theirs\n",
        "lock-version = 99\n",
        'lock-version = 1\n[[extension]]\nname = "../../etc"\n',
        "\x00\xff",
    ],
)
def test_a_corrupt_lock_stops_no_command_that_looks_or_removes(
    neighbours: Neighbours, text: str
) -> None:
    """It is named by all of them, refused by install, and never overwritten."""
    lock = neighbours.agent / "harnest-extensions.lock"
    lock.write_text(text)
    listed = neighbours("list")
    assert listed.code == 0
    assert [p["kind"] for p in listed.json["problems"]] == ["lock-invalid"]
    assert neighbours.states() == {"rain": "not in lock", "weather": "not in lock"}
    assert neighbours("show", "rain").json["state"] == "not in lock"
    rules = {rule for path, rule in neighbours.findings() if path == "harnest-extensions.lock"}
    assert {rule.partition(".")[0] for rule in rules} == {"lock"}
    refused = neighbours("install", "../src/rain", "--upgrade")
    assert (refused.code, refused.error["kind"]) == (1, "lock-invalid")
    assert neighbours("uninstall", "weather").code == 0
    assert neighbours.states() == {"rain": "not in lock"}
    assert lock.read_text() == text


def test_a_broken_pyproject_is_named_and_never_overwritten(neighbours: Neighbours) -> None:
    """Looking works; changing is refused with the file as it was."""
    pyproject = neighbours.agent / "pyproject.toml"
    pyproject.write_text("[tool.harnest.extensions]\nrain = 1\n")
    assert neighbours.states() == {"rain": "ok", "weather": "ok"}
    refused = neighbours("install", "../src/rain")
    assert (refused.code, refused.error["kind"]) == (1, "project-invalid")
    assert pyproject.read_text() == "[tool.harnest.extensions]\nrain = 1\n"


def test_foreign_things_in_extensions_are_named_and_left(neighbours: Neighbours) -> None:
    """A folder, a link and a copied-in extension are listed as what they are, and not touched."""
    extensions = neighbours.agent / "extensions"
    (extensions / "Notes & ideas").mkdir()
    (extensions / "outside").symlink_to("/usr")
    (extensions / "README.md").write_text("ours")
    make_folder(extensions, PackageSpec(name="snow"))
    assert neighbours.states() == {
        "Notes & ideas": "foreign",
        "outside": "foreign",
        "rain": "ok",
        "snow": "not in lock",
        "weather": "ok",
    }
    assert neighbours.findings() == {
        ("extensions/Notes & ideas", "doctor.foreign"),
        ("extensions/outside", "doctor.foreign"),
        ("extensions/snow", "doctor.not-in-lock"),
    }
    assert neighbours("uninstall", "outside").error["rule"] == "store.destination"
    assert neighbours("uninstall", "snow").code == 0
    assert (extensions / "outside").is_symlink()
    assert (extensions / "README.md").read_text() == "ours"


def test_a_foreign_folder_in_the_way_is_replaced_only_by_force(neighbours: Neighbours) -> None:
    """What lies where a copy belongs is refused, and kept for a rollback when it is replaced."""
    make_folder(neighbours.agent.parent / "src", PackageSpec(name="snow"))
    place = neighbours.agent / "extensions" / "snow"
    place.mkdir()
    (place / "mine.txt").write_text("mine")
    assert neighbours("install", "../src/snow").error["kind"] == "modified"
    assert neighbours("sync").code == 0
    assert (place / "mine.txt").read_text() == "mine"
    assert neighbours("install", "--force", "../src/snow").code == 0
    assert neighbours.states()["snow"] == "ok"
    assert neighbours("rollback", "snow").code == 0
    assert [path.name for path in place.iterdir()] == ["mine.txt"]
    assert neighbours.states()["snow"] == "foreign"


def test_names_are_completed(neighbours: Neighbours, harnest: Command) -> None:
    """A shell that asks is told the installed extensions that fit."""
    words = {"COMP_WORDS": "harnest extensions show we", "COMP_CWORD": "3"}
    outcome = harnest(cwd=neighbours.agent, _HARNEST_COMPLETE="bash_complete", **words)
    assert outcome.stdout.split() == ["plain,weather"]


def test_a_broken_distribution_breaks_no_list(neighbours: Neighbours, tmp_path: Path) -> None:
    """Metadata that nobody can read is one warning of the doctor; a sound one is shadowed."""
    site = tmp_path / "site"
    for name, entry in (("rain", "[harnest.extensions\nbroken"), ("weather", "\x00")):
        folder = site / f"harnest_extension_{name}-3.0.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: harnest-extension-{name}\nVersion: 3.0.0\n"
        )
        (folder / "entry_points.txt").write_text(entry)
    path = f"{os.environ.get('PYTHONPATH', '')}{os.pathsep}{site}"
    repository = os.pathsep.join(value for _, value in neighbours._harnest.environment)
    variables = {"PYTHONPATH": f"{repository}{os.pathsep}{path}"}
    assert neighbours.states(**variables) == {"rain": "ok", "weather": "ok"}
    listed = neighbours("list", **variables).json["extensions"]
    assert [item["shadows"] for item in listed] == ["3.0.0", "3.0.0"]
    found = neighbours("doctor", **variables)
    assert "doctor.distribution" in {f["rule"] for f in found.json["findings"]}


def test_the_doctor_mends_what_is_safe_to_mend(neighbours: Neighbours) -> None:
    """Leftovers, permissions, a missing and an edited copy, and a stale lock are put right."""
    agent = neighbours.agent
    (agent / "extensions/.harnest/staging/000099/new").mkdir(parents=True)
    copy = agent / "extensions" / "weather"
    (copy / "extension.py").chmod(0o666)
    (copy / "README.md").write_text("edited\n")
    (agent / "extensions" / "rain").rename(agent.parent / "moved-away")
    make_folder(agent.parent / "src", PackageSpec(name="snow"))
    pyproject = agent / "pyproject.toml"
    pyproject.write_text(pyproject.read_text() + 'snow = { path = "../src/snow" }\n')
    assert neighbours.findings() == {
        ("extensions/.harnest/staging/000099", "doctor.leftovers"),
        ("extensions/weather", "doctor.modes"),
        ("extensions/weather", "doctor.modified"),
        ("extensions/rain", "doctor.missing"),
        ("harnest-extensions.lock", "doctor.stale-lock"),
    }
    mended = neighbours("doctor", "--fix")
    assert mended.code == 0, mended.stdout
    assert {finding["fixed"] for finding in mended.json["findings"]} == {True}
    assert neighbours.findings() == set()
    assert neighbours.states() == {"rain": "ok", "snow": "ok", "weather": "ok"}
    assert neighbours("rollback", "weather").code == 0
    assert (copy / "README.md").read_text() == "edited\n"


def test_a_journal_that_nobody_can_follow_is_put_aside(neighbours: Neighbours) -> None:
    """It moves nothing, stops writing until the doctor has put it aside, and is kept."""
    journal = neighbours.agent / "extensions/.harnest/journal.json"
    journal.write_text(json.dumps({"version": 1, "number": "../../x", "moved_out": ["weather"]}))
    assert neighbours.states() == {"rain": "ok", "weather": "ok"}
    refused = neighbours("install", "../src/rain")
    assert (refused.code, refused.error["kind"]) == (1, "tampered")
    assert neighbours("doctor", "--fix").code == 0
    assert not journal.exists()
    assert journal.with_name("journal.json.unusable").exists()
    assert neighbours("install", "../src/rain").code == 0


PROGRAM = """
import sys
from harnest_ext.cli.main import run
code = run(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("command", ["--version", "extensions list", "extensions show rain"])
def test_looking_imports_nothing_heavy(
    neighbours: Neighbours, installation: Installation, command: str
) -> None:
    """Neither pydantic nor yaml nor packaging nor the network nor any extension is imported."""
    watched = Command(program=(str(installation.python), "-c", PROGRAM))
    outcome = watched(*command.split(), cwd=neighbours.agent)
    assert outcome.code == 0, outcome.stderr
    loaded = set(outcome.stderr.splitlines()[-1].split())
    assert "harnest_ext.cli.main" in loaded
    heavy = {"pydantic", "yaml", "packaging", "docker", "urllib3", "requests", "tomlkit"}
    heavy |= {"resolvelib", "importlib_metadata", "rich", "jinja2", "asyncio", "ssl"}
    assert not loaded & heavy
    assert not {name for name in loaded if name.startswith("harnest.extensions.")}
