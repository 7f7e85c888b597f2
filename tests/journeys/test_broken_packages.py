"""A broken package is refused at its line, and the project stays byte for byte what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.cases import PROJECT, Demo, manifest
from tests.support.commands import snapshot
from tests.support.zips import RawMember

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.cases import Content
    from tests.support.commands import Command

BROKEN = {
    "manifest.unknown-key": ({"extension.yaml": manifest(licence=" MIT")}, "extension.yaml", 10),
    "manifest.duplicate-key": (
        {"extension.yaml": manifest() + "kind: Extension\n"},
        "extension.yaml",
        10,
    ),
    "manifest.entrypoint-other": (
        {"extension.yaml": manifest().replace("extension:extension", "os:system")},
        "extension.yaml",
        7,
    ),
    "entry-point.value": (
        {"pyproject.toml": PROJECT.replace("extension:extension", "lib:x")},
        "pyproject.toml",
        8,
    ),
    "project.version": (
        {"pyproject.toml": PROJECT.replace('"1.0.0"', '"1.0.1"')},
        "pyproject.toml",
        3,
    ),
    "tree.special-file": ({}, "lib/link", None),
    "layout.stray-root-entry": ({"helpers.py": ""}, "helpers.py", None),
    "python.syntax": ({"lib/client.py": "x = 1\n\ndef broken(:\n"}, "lib/client.py", 3),
}


def made(form: str, rule: str, files: dict[str, Content], folder: Path) -> Path:
    """Write the package in one form and return it."""
    if form == "folder":
        source = Demo(files=files).write_folder(folder / "source")
        if rule == "tree.special-file":
            (source / "lib" / "link").symlink_to("/etc/passwd")
        return source
    name = "harnest_extension_demo/lib/link"
    link = RawMember(name=name, data=b"/etc/passwd", mode=0o120777)
    members = (link,) if rule == "tree.special-file" else ()
    return Demo(files=files, members=members).write_wheel(folder)


@pytest.mark.parametrize("rule", BROKEN)
@pytest.mark.parametrize("form", ["folder", "wheel"])
def test_a_broken_package_is_refused_and_nothing_changes(
    harnest: Command, agent: Path, tmp_path: Path, rule: str, form: str
) -> None:
    """Exit code 1; rule, file, line and remedy; no byte, mode or leftover in the project."""
    files, where, line = BROKEN[rule]
    source = made(form, rule, files, tmp_path)
    before = snapshot(agent)
    done = harnest("extensions", "install", source, "--json", cwd=agent)
    prefix = "harnest_extension_demo/" if form == "wheel" else ""
    assert done.code == 1
    assert (done.error["rule"], done.error["path"]) == (rule, prefix + where)
    assert done.error["line"] == line
    assert done.error["remedy"]
    assert snapshot(agent) == before
