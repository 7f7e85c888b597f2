"""``harnest extensions check`` and ``build`` as an author types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.corpus.cases import PROJECT, TRIP, Demo, manifest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command

BROKEN = Demo(
    files={
        "extension.yaml": manifest(capabilities=" [sandbox.providers]"),
        "lib/client.py": "x = 1\ndef broken(:\n",
        "helpers.py": "",
    }
)


def test_a_good_folder_is_called_good(harnest: Command, tmp_path: Path) -> None:
    """Exit code 0 and one line that says what was checked."""
    Demo().write_folder(tmp_path / "demo")
    done = harnest("extensions", "check", "demo", cwd=tmp_path)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == "demo 1.0.0: good (0 errors, 0 warnings)\n"


def test_every_problem_is_shown_with_place_and_remedy(harnest: Command, tmp_path: Path) -> None:
    """Exit code 1; rule, file, line, expectation and remedy of each problem."""
    BROKEN.write_folder(tmp_path / "demo")
    done = harnest("extensions", "check", "demo", cwd=tmp_path)
    assert done.code == 1
    lines = done.stdout.splitlines()
    assert "error: helpers.py: 'helpers.py' has no place at the root of a package." in lines[0]
    assert "extension.yaml:8: The capability 'sandbox.providers' is unknown." in done.stdout
    assert "remedy: Did you mean 'sandbox.provider'?" in done.stdout
    assert "lib/client.py:2: This is not valid Python" in done.stdout
    assert lines[-1] == "demo: refused (3 errors, 0 warnings)"


def test_json_gives_all_problems_and_the_facts(harnest: Command, tmp_path: Path) -> None:
    """One object: verdict, facts, problems, and an error only if the package is refused."""
    BROKEN.write_folder(tmp_path / "broken")
    Demo().write_folder(tmp_path / "good")
    refused = harnest("extensions", "check", "broken", "--json", cwd=tmp_path)
    assert refused.code == 1
    assert refused.json["ok"] is False
    assert refused.json["extension"] is None
    assert [p["rule"] for p in refused.json["problems"]] == [
        *("layout.stray-root-entry", "manifest.capability", "python.syntax")
    ]
    assert refused.error["kind"] == "foreign-files"
    good = harnest("extensions", "check", "good", "--format", "json", cwd=tmp_path)
    assert good.code == 0
    assert good.json["ok"] is True
    assert "error" not in good.json
    assert good.json["extension"] == {
        "name": "demo",
        "version": "1.0.0",
        "summary": "",
        "digest": good.json["extension"]["digest"],
        "files": 7,
        "bytes": good.json["extension"]["bytes"],
        "capabilities": ["context.credentials"],
        "requires": [],
        "dependencies": ["httpx>=0.27"],
        "requires_python": ">=3.11",
        "host_range": ">=1,<2",
    }


def test_sarif_names_rules_files_and_lines(harnest: Command, tmp_path: Path) -> None:
    """A code host can show each problem at its line, with the rule's reason and fix."""
    BROKEN.write_folder(tmp_path / "demo")
    done = harnest("extensions", "check", "demo", "--format", "sarif", cwd=tmp_path)
    assert done.code == 1
    log = json.loads(done.stdout)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert rules["python.syntax"]["defaultConfiguration"] == {"level": "error"}
    assert {result["ruleId"] for result in run["results"]} == rules.keys()
    places = {r["ruleId"]: r["locations"][0]["physicalLocation"] for r in run["results"]}
    assert places["python.syntax"]["artifactLocation"] == {"uri": "demo/lib/client.py"}
    assert places["python.syntax"]["region"]["startLine"] == 2


def test_a_hostile_package_can_not_flood_or_forge_the_terminal(
    harnest: Command, tmp_path: Path
) -> None:
    """However many problems with whatever names: bounded text without control characters."""
    names = {f"stray{number}\x1b[2J\u202e.py": "" for number in range(300)}
    Demo(files=names).write_folder(tmp_path / "demo")
    done = harnest("extensions", "check", "demo", cwd=tmp_path)
    assert done.code == 1
    assert len(done.stdout.encode()) <= 4096
    assert all(ch.isprintable() or ch == "\n" for ch in done.stdout)
    assert "more; --json gives all of them" in done.stdout


def test_checking_and_building_execute_nothing(harnest: Command, tmp_path: Path) -> None:
    """Neither a module, setup.py, conftest.py nor a build backend of the package runs."""
    project = '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["_b"]\n'
    extra = {"setup.py": TRIP, "conftest.py": TRIP, "_b/evil.py": TRIP}
    files = {"pyproject.toml": project + PROJECT, **extra}
    Demo(files=files).write_folder(tmp_path / "demo")
    wire = tmp_path / "executed"
    for command in (["check", "demo"], ["build", "demo", "--out", "out"], ["check", "out"]):
        harnest("extensions", *command, cwd=tmp_path, HARNEST_TRIPWIRE=str(wire))
    assert [path.suffix for path in (tmp_path / "out").iterdir()] == [".whl"]
    assert not wire.exists()


def test_build_writes_the_wheel_and_says_how_to_publish_it(
    harnest: Command, tmp_path: Path
) -> None:
    """The wheel goes to dist/ by default; its hash is printed, and the tools to upload it."""
    Demo().write_folder(tmp_path / "demo")
    done = harnest("extensions", "build", "demo", cwd=tmp_path)
    assert done.code == 0
    wheel = "demo/dist/harnest_extension_demo-1.0.0-py3-none-any.whl"
    assert done.stdout.splitlines()[0] == wheel
    assert f"twine upload {wheel}" in done.stderr
    assert f"uv publish {wheel}" in done.stderr
    again = harnest("extensions", "build", "demo", "--json", cwd=tmp_path)
    assert again.json["sha256"] in done.stdout
    assert again.json["wheel"] == wheel
    checked = harnest("extensions", "check", wheel, cwd=tmp_path)
    assert checked.code == 0


def test_a_broken_folder_is_not_built(harnest: Command, tmp_path: Path) -> None:
    """The refusal is the one of check, and no file is written."""
    BROKEN.write_folder(tmp_path / "demo")
    done = harnest("extensions", "build", "demo", "--json", cwd=tmp_path)
    assert done.code == 1
    assert done.error["rule"] == "layout.stray-root-entry"
    assert not (tmp_path / "demo" / "dist").exists()
