"""An agent's extensions managed from the command line: each command, and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import snapshot
from tests.support.packages import PackageSpec, make_agent, make_folder, make_wheel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command, Outcome

REPORT_KEYS = {"project", "changed", "dry_run", "recovered", "extensions", "notes", "warnings"}
CHANGE_KEYS = {
    "name",
    "action",
    "version",
    "previous_version",
    "source",
    "path",
    "capabilities",
    "added_capabilities",
    "requested",
}
DETAIL_KEYS = {
    "name",
    "version",
    "state",
    "incompatible",
    "path",
    "source",
    "digest",
    "requirement",
    "requested",
    "pinned",
    "capabilities",
    "requires",
    "required_by",
    "dependencies",
    "harnest",
    "python",
    "shadows",
    "previous_version",
    "changed_files",
}
ERROR_KEYS = {
    "kind",
    "rule",
    "severity",
    "path",
    "line",
    "column",
    "message",
    "expected",
    "got",
    "remedy",
    "unchanged",
    "exit_code",
    "problems",
    "omitted",
}


class Desk:
    """The command line in one project, with sources beside it."""

    def __init__(self, harnest: Command, agent: Path) -> None:
        self._harnest = harnest
        self.agent = agent
        self.src = agent.parent / "src"

    def __call__(self, *arguments: str) -> Outcome:
        """Run `harnest extensions ...` in the project."""
        return self._harnest("extensions", *arguments, cwd=self.agent)

    def done(self, *arguments: str) -> dict[str, object]:
        """Run it with --json, and return the answer of a command that succeeded."""
        outcome = self(*arguments, "--json")
        assert outcome.code == 0, outcome.stdout + outcome.stderr
        return dict(outcome.json)

    def refused(self, *arguments: str, code: int = 1) -> dict[str, object]:
        """Run it with --json, and return the refusal, which left the project as it was."""
        before = snapshot(self.agent)
        outcome = self(*arguments, "--json")
        assert outcome.code == code, outcome.stdout + outcome.stderr
        assert snapshot(self.agent) == before
        assert outcome.error.keys() - {"details"} == ERROR_KEYS
        return dict(outcome.error)

    def actions(self, *arguments: str) -> dict[str, str]:
        """Run a command that changes the project, and return name to action."""
        report = self.done(*arguments)
        assert report.keys() == REPORT_KEYS
        changes = report["extensions"]
        assert isinstance(changes, list)
        assert all(change.keys() == CHANGE_KEYS for change in changes)
        return {change["name"]: change["action"] for change in changes}

    def states(self) -> dict[str, str]:
        """Return name to state of everything that is listed."""
        listed = self.done("list")["extensions"]
        assert isinstance(listed, list)
        return {item["name"]: item["state"] for item in listed}

    def package(self, name: str, version: str = "1.0.0", **spec: object) -> Path:
        """Make, or make anew, the folder of an extension beside the project."""
        shutil.rmtree(self.src / name, ignore_errors=True)
        return make_folder(self.src, PackageSpec(name=name, version=version, **spec))  # type: ignore[arg-type]


@pytest.fixture
def desk(harnest: Command, agent: Path) -> Desk:
    """The command line in an empty project."""
    return Desk(harnest, agent)


def test_install_list_show_and_uninstall(desk: Desk) -> None:
    """What is installed is listed and shown with its source, and is gone after its removal."""
    desk.package("weather", capabilities=("context.session",), dependencies=("requests>=2",))
    installed = desk("install", "../src/weather")
    assert installed.code == 0
    assert "installed weather 1.0.0" in installed.stdout
    assert "context.session" in installed.stdout
    assert "harnest env sync" in installed.stderr
    shown = desk.done("show", "harnest-extension-weather")
    assert shown.keys() == DETAIL_KEYS
    assert shown["state"] == "ok"
    assert shown["source"] == {"kind": "folder", "location": "../src/weather", "file": None}
    assert shown["capabilities"] == ["context.session"]
    assert shown["dependencies"] == ["requests>=2"]
    listed = desk.done("list")
    assert listed.keys() == {"project", "extensions", "interrupted", "problems"}
    assert listed["extensions"] == [{**shown, "previous_version": None, "changed_files": []}]
    assert desk.actions("uninstall", "weather") == {"weather": "removed"}
    assert desk.states() == {}
    assert not (desk.agent / "extensions" / "weather").exists()
    assert "weather" not in (desk.agent / "pyproject.toml").read_text()


def test_installing_the_same_content_again_changes_nothing(desk: Desk) -> None:
    """The second time it exits 0, says so, and not a byte of the project differs."""
    desk.package("weather")
    desk.actions("install", "../src/weather")
    before = snapshot(desk.agent)
    again = desk("install", "../src/weather")
    assert (again.code, again.stdout) == (0, "weather 1.0.0: already installed\n")
    assert snapshot(desk.agent) == before


def test_other_content_needs_to_be_asked_for(desk: Desk) -> None:
    """Even with the same version, other content replaces nothing without --upgrade."""
    desk.package("weather")
    desk.actions("install", "../src/weather")
    desk.package("weather", files={"lib/new.py": "NEW = 1\n"})
    error = desk.refused("install", "../src/weather")
    assert (error["kind"], error["rule"]) == ("conflict", "install.other-content")
    assert desk.actions("install", "--upgrade", "../src/weather") == {"weather": "replaced"}
    assert (desk.agent / "extensions/weather/lib/new.py").exists()


def test_work_in_a_copy_is_never_lost(desk: Desk) -> None:
    """An edited copy is refused by name of the file; --force keeps it for a rollback."""
    desk.package("weather")
    desk.actions("install", "../src/weather")
    edited = desk.agent / "extensions/weather/README.md"
    edited.write_text("my own words\n")
    (desk.agent / "extensions/weather/mine.py").write_text("MINE = 1\n")
    assert desk.states() == {"weather": "modified"}
    shown = desk.done("show", "weather")
    assert shown["changed_files"] == ["README.md (changed)", "mine.py (added)"]
    for command in ("install", "install --upgrade"):
        error = desk.refused(*command.split(), "../src/weather")
        assert error["kind"] == "modified"
        assert "README.md (changed)" in str(error["got"])
    assert desk.actions("install", "--force", "../src/weather") == {"weather": "replaced"}
    assert desk.states() == {"weather": "ok"}
    assert desk.actions("rollback", "weather") == {"weather": "restored"}
    assert edited.read_text() == "my own words\n"
    assert (desk.agent / "extensions/weather/mine.py").exists()


def test_force_does_not_make_an_invalid_package_valid(desk: Desk) -> None:
    """--force is about what is replaced, never about what comes in."""
    desk.package("weather")
    desk.actions("install", "../src/weather")
    desk.package("weather", files={"lib/broken.py": "def (:\n"})
    error = desk.refused("install", "--force", "../src/weather")
    assert error["path"] == "lib/broken.py"
    assert error["line"] == 1


def test_a_dry_run_writes_nothing(desk: Desk) -> None:
    """It says what would be done, and the project is byte for byte as before."""
    desk.package("weather")
    before = snapshot(desk.agent)
    report = desk.done("install", "--dry-run", "../src/weather")
    assert (report["changed"], report["dry_run"]) == (True, True)
    assert snapshot(desk.agent) == before


def test_requirements_hold_what_they_need(desk: Desk) -> None:
    """What others require is not removed without --force, and the tree shows who requires it."""
    desk.package("rain")
    desk.package("weather", requires=("rain>=1",))
    error = desk.refused("install", "--no-deps", "--no-index", "../src/weather")
    assert "rain" in str(error["message"])
    assert desk.actions("install", "../src/rain", "../src/weather") == {
        "rain": "installed",
        "weather": "installed",
    }
    assert desk.refused("uninstall", "rain")["rule"] == "uninstall.required"
    tree = desk.done("tree")["extensions"]
    assert isinstance(tree, list)
    assert [node["name"] for node in tree] == ["rain", "weather"]
    assert tree[1]["requires"][0]["name"] == "rain"
    assert "  rain 1.0.0 (requires >=1)" in desk("tree").stdout
    assert desk.actions("uninstall", "--force", "rain") == {"rain": "removed"}
    listed = desk.done("list")["extensions"]
    assert isinstance(listed, list)
    assert listed[0]["incompatible"] == "requires rain>=1, which is not installed"


def test_upgrade_pin_and_rollback(desk: Desk) -> None:
    """Pinned extensions stay; others become newer, and go back with lock entry and wish."""
    for name in ("rain", "weather"):
        desk.package(name)
    desk.actions("install", "../src/rain", "../src/weather")
    old = snapshot(desk.agent / "extensions" / "weather")
    lock = (desk.agent / "harnest-extensions.lock").read_bytes()
    assert desk.done("outdated") == {
        "extensions": desk.done("outdated")["extensions"],
        "outdated": 0,
        "warnings": [],
    }
    for name in ("rain", "weather"):
        desk.package(name, "1.1.0")
    assert desk.done("outdated")["outdated"] == 2
    assert desk.actions("pin", "rain") == {"rain": "pinned"}
    assert desk.refused("upgrade", "rain")["rule"] == "upgrade.pinned"
    assert desk.actions("upgrade", "--all") == {"weather": "upgraded"}
    assert desk.actions("unpin", "rain") == {"rain": "unpinned"}
    assert desk.actions("rollback", "weather") == {"weather": "restored"}
    assert snapshot(desk.agent / "extensions" / "weather") == old
    assert (desk.agent / "harnest-extensions.lock").read_bytes() == lock
    assert desk.refused("rollback", "rain")["rule"] == "rollback.none"
    assert desk("upgrade").code == 2


def test_an_upgrade_that_gains_capabilities_needs_consent(desk: Desk) -> None:
    """Without a terminal the refusal names them; --accept-capabilities records them."""
    desk.package("weather", capabilities=("context.session",))
    desk.actions("install", "../src/weather")
    desk.package("weather", "1.1.0", capabilities=("context.session", "context.credentials"))
    error = desk.refused("upgrade", "weather")
    assert error["kind"] == "consent-required"
    assert "context.credentials" in str(error["message"])
    report = desk.done("upgrade", "weather", "--accept-capabilities")
    changes = report["extensions"]
    assert isinstance(changes, list)
    assert changes[0]["added_capabilities"] == ["context.credentials"]
    assert desk.done("show", "weather")["capabilities"] == [
        "context.credentials",
        "context.session",
    ]


def test_a_clone_gets_the_same_bytes(desk: Desk, harnest: Command) -> None:
    """With the project's committed files alone, sync --frozen makes the very same copies."""
    desk.package("weather", files={"lib/deep/er/x.py": "X = 1\n"})
    wheel = make_wheel(desk.agent.parent / "wheels", PackageSpec(name="snow"))
    desk.actions("install", "../src/weather", f"../wheels/{wheel.name}")
    clone = desk.agent.parent / "clone"
    clone.mkdir()
    committed = ("config.yaml", "pyproject.toml", "harnest-extensions.lock")
    for name in committed:
        shutil.copy(desk.agent / name, clone / name)
    cloned = Desk(harnest, clone)
    assert cloned.states() == {"snow": "missing", "weather": "missing"}
    assert cloned.actions("sync", "--frozen") == {"snow": "restored", "weather": "restored"}
    for name in ("snow", "weather"):
        there = snapshot(clone / "extensions" / name)
        assert there == snapshot(desk.agent / "extensions" / name)
    for name in committed:
        assert (clone / name).read_bytes() == (desk.agent / name).read_bytes()
    assert set(cloned.actions("sync", "--frozen").values()) == {"unchanged"}


def test_a_clone_with_its_copies_is_stamped_once(desk: Desk) -> None:
    """Copies that came with a clone are right without local state, and sync makes looking cheap."""
    desk.package("weather")
    desk.actions("install", "../src/weather")
    state = desk.agent / "extensions" / ".harnest"
    shutil.rmtree(state)
    assert desk.states() == {"weather": "ok"}
    assert not state.exists()
    assert desk.actions("sync", "--frozen") == {"weather": "unchanged"}
    stamps = (state / "stamps.json").read_bytes()
    assert desk.actions("sync", "--frozen") == {"weather": "unchanged"}
    assert (state / "stamps.json").read_bytes() == stamps


def test_a_sync_names_a_source_that_is_gone_or_another(desk: Desk) -> None:
    """All sources that stand against it are named at once, and nothing is written."""
    desk.package("rain")
    desk.package("weather")
    desk.actions("install", "../src/rain", "../src/weather")
    shutil.rmtree(desk.agent / "extensions")
    shutil.rmtree(desk.src / "rain")
    desk.package("weather", "1.1.0")
    error = desk.refused("sync")
    problems = error["problems"]
    assert isinstance(problems, list)
    assert {(p["rule"], p["path"]) for p in problems} == {
        ("sync.source-missing", "../src/rain"),
        ("sync.source-differs", "../src/weather"),
    }


def test_a_stale_lock_is_refused_frozen_and_made_anew_otherwise(desk: Desk) -> None:
    """What was added to pyproject.toml by hand comes with lock or sync, not with --frozen."""
    desk.package("rain")
    desk.package("weather")
    desk.actions("install", "../src/rain")
    pyproject = desk.agent / "pyproject.toml"
    text = "# mine\n" + pyproject.read_text() + 'weather = { path = "../src/weather" }  # too\n'
    pyproject.write_text(text)
    error = desk.refused("sync", "--frozen")
    assert (error["kind"], error["rule"]) == ("lock-stale", "lock.stale")
    assert "'weather' is asked for and not locked" in str(error["message"])
    assert desk.actions("lock") == {"rain": "unchanged", "weather": "locked"}
    assert desk.states() == {"rain": "ok", "weather": "missing"}
    assert desk.actions("sync", "--frozen") == {"rain": "unchanged", "weather": "restored"}
    assert desk.states() == {"rain": "ok", "weather": "ok"}
    assert pyproject.read_text() == text


@pytest.mark.parametrize("spelling", ["../src/weather/", "./../src/weather", "{src}/weather"])
def test_a_path_may_be_written_in_any_way(desk: Desk, spelling: str) -> None:
    """A wish with a dot, a slash at the end or an absolute path is the same place."""
    desk.package("weather")
    path = spelling.format(src=desk.src)
    (desk.agent / "pyproject.toml").write_text(
        f'[tool.harnest.extensions]\nweather = {{ path = "{path}" }}\n'
    )
    assert desk.actions("sync") == {"weather": "installed"}
    assert desk.actions("sync", "--frozen") == {"weather": "unchanged"}
    assert desk.done("show", "weather")["path"] == "extensions/weather"
    assert str(desk.src) not in (desk.agent / "harnest-extensions.lock").read_text()


def test_modes_do_not_depend_on_the_umask(desk: Desk) -> None:
    """Copies are 0644, or 0755 for programs, even for a private umask; the user's file stays."""
    source = desk.package("weather", files={"lib/a.py": "A = 1\n", "lib/run.sh": "#!/bin/sh\n"})
    (source / "lib" / "run.sh").chmod(0o777)
    (source / "lib" / "a.py").chmod(0o666)
    pyproject = desk.agent / "pyproject.toml"
    pyproject.write_text("[project]\nname = 'demo'\n")
    pyproject.chmod(0o600)
    before = os.umask(0o077)
    try:
        desk.actions("install", "../src/weather")
    finally:
        os.umask(before)
    copy = desk.agent / "extensions" / "weather"
    modes = {p.name: oct(p.stat().st_mode & 0o7777) for p in copy.rglob("*") if p.is_file()}
    assert modes.pop("run.sh") == "0o755"
    assert set(modes.values()) == {"0o644"}
    assert (copy / "lib").stat().st_mode & 0o7777 == 0o755
    assert pyproject.stat().st_mode & 0o7777 == 0o600
    assert "weather" in pyproject.read_text()
    assert desk.done("doctor")["findings"] == []


def test_verify_names_the_files_that_differ(desk: Desk) -> None:
    """Every copy is hashed; a change that no stamp shows is found too."""
    desk.package("weather")
    desk.actions("install", "../src/weather")
    assert desk.done("verify")["ok"] is True
    target = desk.agent / "extensions/weather/README.md"
    before = target.stat()
    target.write_bytes(target.read_bytes().upper())
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert desk.states() == {"weather": "ok"}
    outcome = desk("verify", "--json")
    assert outcome.code == 1
    assert outcome.json["extensions"][0]["state"] == "modified"
    assert outcome.json["extensions"][0]["files"] == ["README.md (changed)"]


def test_a_linked_checkout_is_run_in_place(desk: Desk) -> None:
    """--link copies nothing, is recorded, survives a sync, and gives way to a copy again."""
    desk.package("weather")
    assert desk.actions("install", "--link", "../src/weather") == {"weather": "linked"}
    assert not (desk.agent / "extensions" / "weather").exists()
    assert desk.states() == {"weather": "linked"}
    assert "link = true" in (desk.agent / "pyproject.toml").read_text()
    assert desk.actions("sync", "--frozen") == {"weather": "unchanged"}
    assert desk.actions("install", "--link", "../src/weather") == {"weather": "unchanged"}
    assert desk.actions("install", "--upgrade", "../src/weather") == {"weather": "replaced"}
    assert desk.states() == {"weather": "ok"}
    wheel = make_wheel(desk.agent.parent, PackageSpec(name="snow"))
    assert desk.refused("install", "--link", f"../{wheel.name}", code=2)["rule"] == "install.link"


def test_names_come_from_a_folder_of_wheels(desk: Desk) -> None:
    """Without a network a name is found in --find-links, with what it requires, and locked."""
    wheels = desk.agent.parent / "wheels"
    make_wheel(wheels, PackageSpec(name="rain", version="1.0.0"))
    make_wheel(wheels, PackageSpec(name="weather", version="1.0.0", requires=("rain>=1",)))
    make_wheel(wheels, PackageSpec(name="weather", version="2.0.0", requires=("rain>=1",)))
    looking = ("--find-links", "../wheels", "--no-index")
    assert desk.actions("install", "weather<2", *looking) == {
        "rain": "installed",
        "weather": "installed",
    }
    shown = desk.done("show", "weather")
    assert (shown["version"], shown["requirement"]) == ("1.0.0", "<2")
    assert desk.done("show", "rain")["requested"] is False
    assert 'weather = "<2"' in (desk.agent / "pyproject.toml").read_text()
    newer = desk.done("outdated", *looking)["extensions"]
    assert isinstance(newer, list)
    assert {n["name"]: (n["wanted"], n["latest"]) for n in newer} == {
        "rain": ("1.0.0", "1.0.0"),
        "weather": ("1.0.0", "2.0.0"),
    }
    assert set(desk.actions("upgrade", "--all", *looking).values()) == {"unchanged"}
    assert desk.actions("install", "--upgrade", "weather>=2", *looking)["weather"] == "upgraded"
    error = desk.refused("install", "wether", *looking)
    assert error["kind"] == "not-found"
    assert "weather" in str(error["remedy"]) + str(error["message"])


def test_the_same_inputs_give_the_same_lock_elsewhere(desk: Desk, harnest: Command) -> None:
    """The lock holds no time and no absolute path: another folder gives the same bytes."""
    desk.package("weather")
    other = make_agent(desk.agent.parent / "elsewhere")
    shutil.copytree(
        desk.src, other.parent / "src", dirs_exist_ok=True
    ) if desk.src.exists() else None
    Desk(harnest, other).actions("install", "../src/weather")
    desk.actions("install", "../src/weather")
    lock = (desk.agent / "harnest-extensions.lock").read_bytes()
    assert lock == (other / "harnest-extensions.lock").read_bytes()
    assert str(desk.agent.parent).encode() not in lock


def test_two_of_a_name_and_unknown_names_are_refused(desk: Desk) -> None:
    """One name from two sources, and names that are not installed, are told with a way out."""
    desk.package("weather")
    wheel = make_wheel(desk.agent.parent, PackageSpec(name="weather"))
    both = ("../src/weather", f"../{wheel.name}")
    assert desk.refused("install", *both, code=2)["rule"] == "install.duplicate"
    desk.actions("install", "../src/weather")
    for command in ("show", "uninstall", "pin", "upgrade"):
        error = desk.refused(command, "wether")
        assert error["kind"] == "not-found"
        assert "'weather'" in str(error["remedy"])


def test_outside_of_a_project_every_command_says_so(harnest: Command, tmp_path: Path) -> None:
    """No config.yaml of an agent: exit 1 and how to make one; no file appears."""
    (tmp_path / "empty").mkdir()
    for command in ("list", "verify", "tree", "doctor", "sync", "lock", "outdated"):
        outcome = harnest("extensions", command, "--json", cwd=tmp_path / "empty")
        assert (outcome.code, outcome.error["kind"]) == (1, "project-not-found")
    assert list((tmp_path / "empty").iterdir()) == []


def test_every_help_has_an_example(harnest: Command, tmp_path: Path) -> None:
    """Each command explains itself with a command line that can be typed."""
    for command in (
        *("install", "uninstall", "list", "show", "tree", "outdated", "upgrade"),
        *("pin", "unpin", "rollback", "sync", "lock", "verify", "doctor"),
    ):
        text = harnest("extensions", command, "--help", cwd=tmp_path).stdout
        assert f"harnest extensions {command}" in text.split("Examples:")[1]


def test_json_is_one_object_on_stdout(desk: Desk) -> None:
    """With --json stdout holds one object whatever was said on stderr."""
    desk.package("weather")
    outcome = desk("install", "../src/weather", "--json")
    assert json.loads(outcome.stdout)["changed"] is True
    assert "harnest env sync" in outcome.stderr
