"""The official extensions come with the product: from its wheel alone, with nothing to ask."""

from __future__ import annotations

import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.web import serve

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command
    from tests.support.installation import Installation

pytestmark = pytest.mark.slow


def test_official_extensions_are_installed_without_a_network(
    installed: Command, agent: Path, tmp_path: Path
) -> None:
    """Docker and process come out of the product's wheel; an index that has them is not asked."""
    with serve() as index:
        done = installed(
            *("extensions", "install", "docker", "process"),
            cwd=agent,
            PIP_INDEX_URL=f"{index.url}/simple",
            XDG_CACHE_HOME=str(tmp_path / "cache"),
        )
        assert done.code == 0, done.stderr
        assert index.asked == []
    lock = tomllib.loads((agent / "harnest-extensions.lock").read_text())
    sources = {entry["name"]: entry["source"] for entry in lock["extension"]}
    assert {name: (s["kind"], s["location"]) for name, s in sources.items()} == {
        "docker": ("registry", "harnest"),
        "process": ("registry", "harnest"),
    }
    assert not (tmp_path / "cache").exists()


def test_a_fresh_clone_gets_the_same_bytes(installed: Command, agent: Path, tmp_path: Path) -> None:
    """Lock and settings alone make the same copies again, with the network forbidden."""
    assert installed("extensions", "install", "process", cwd=agent).code == 0
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("config.yaml", "pyproject.toml", "harnest-extensions.lock"):
        (clone / name).write_bytes((agent / name).read_bytes())
    done = installed("extensions", "sync", "--frozen", "--offline", cwd=clone)
    assert done.code == 0, done.stderr
    first, second = (_contents(folder / "extensions" / "process") for folder in (agent, clone))
    assert first == second
    assert "extension.yaml" in first


def test_what_ships_is_listed_by_search(installed: Command, tmp_path: Path) -> None:
    """Outside of any project, offline, with the trust that the registry gives it."""
    done = installed("extensions", "search", "--offline", "--no-index", "--json", cwd=tmp_path)
    assert done.code == 0, done.stderr
    found = {item["name"]: item for item in done.json["extensions"]}
    assert {"docker", "process"} <= found.keys()
    assert {item["trust"] for item in found.values()} == {"official"}
    assert all(item["summary"] and item["version"] for item in found.values())


def test_the_wheel_holds_data_alone_beside_the_code(installation: Installation) -> None:
    """Registry entries, their schema and wheels are packaged; nothing of the sources is."""
    with zipfile.ZipFile(installation.wheel) as archive:
        names = archive.namelist()
    data = [name for name in names if name.startswith("harnest_ext/_data/registry/")]
    assert {name.rpartition(".")[2] for name in data} == {"json", "toml", "whl"}
    assert not [name for name in names if name.startswith("official-extensions/")]


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
