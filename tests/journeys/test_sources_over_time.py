"""Extensions from indexes and registries: locked, cloned, upgraded, kept where they belong."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import PackageSpec, make_agent, make_wheel
from tests.support.registries import make_registry, offer_registry
from tests.support.simple_index import SimpleIndex
from tests.support.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.commands import Command
    from tests.support.web import Server

COMMITTED = ("config.yaml", "pyproject.toml", "harnest-extensions.lock")


@pytest.fixture
def server() -> Iterator[Server]:
    """A web server of the test's own."""
    with serve() as server:
        yield server


def _clone(agent: Path) -> Path:
    clone = make_agent(agent.parent / "clone")
    for name in COMMITTED:
        shutil.copy(agent / name, clone / name)
    return clone


def _offer(index: SimpleIndex, folder: Path, name: str, version: str) -> None:
    wheel = make_wheel(folder, PackageSpec(name=name, version=version))
    index.add(f"harnest-extension-{name}", wheel.name, wheel.read_bytes())


def test_an_index_is_locked_by_hash_and_upgraded_on_request(
    harnest: Command, agent: Path, tmp_path: Path, server: Server
) -> None:
    """A clone gets the locked release although there is a newer one; upgrade takes the newer."""
    index = SimpleIndex(server)
    _offer(index, tmp_path / "wheels", "weather", "1.0.0")
    here = ("--index-url", index.url, "--json")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = harnest("extensions", "install", "weather", *here, cwd=agent, **cache)
    assert done.code == 0, done.stdout
    source = done.json["extensions"][0]["source"]
    assert (source["kind"], source["location"]) == ("index", index.url)
    _offer(index, tmp_path / "wheels", "weather", "1.1.0")
    clone = _clone(agent)
    cold = {"XDG_CACHE_HOME": str(tmp_path / "cold")}
    synced = harnest("extensions", "sync", "--frozen", *here, cwd=clone, **cold)
    assert synced.code == 0, synced.stdout
    assert synced.json["extensions"][0]["version"] == "1.0.0"
    for name in COMMITTED:
        assert (clone / name).read_bytes() == (agent / name).read_bytes()
    newer = harnest("extensions", "outdated", *here, cwd=clone, **cold).json["extensions"]
    assert [(item["version"], item["latest"]) for item in newer] == [("1.0.0", "1.1.0")]
    upgraded = harnest("extensions", "upgrade", "weather", *here, cwd=clone, **cold)
    assert upgraded.json["extensions"][0]["action"] == "upgraded"


def test_a_locked_release_that_changed_its_bytes_is_refused(
    harnest: Command, agent: Path, tmp_path: Path, server: Server
) -> None:
    """An index that hands out another file under the locked version installs nothing."""
    index = SimpleIndex(server)
    _offer(index, tmp_path / "wheels", "weather", "1.0.0")
    here = ("--index-url", index.url, "--json")
    variables = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert harnest("extensions", "install", "weather", *here, cwd=agent, **variables).code == 0
    other = make_wheel(tmp_path / "other", PackageSpec(name="weather", files={"lib/x.py": "X"}))
    index.add("harnest-extension-weather", other.name, other.read_bytes())
    clone = _clone(agent)
    cold = {"XDG_CACHE_HOME": str(tmp_path / "cold")}
    refused = harnest("extensions", "sync", *here, cwd=clone, **cold)
    assert (refused.code, refused.error["rule"]) == (1, "sync.source-missing")
    assert not (clone / "extensions").exists()


def test_an_extension_stays_with_its_registry(
    harnest: Command, agent: Path, tmp_path: Path, server: Server
) -> None:
    """A registry that is added later and has a higher version does not take the name over."""
    mine = make_registry(tmp_path / "mine", PackageSpec(name="weather", version="1.0.0"))
    url = offer_registry(server, mine)
    variables = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    looking = ("--registry", url, "--no-index", "--json")
    done = harnest("extensions", "install", "weather", *looking, cwd=agent, **variables)
    assert done.code == 0, done.stdout
    assert done.json["extensions"][0]["source"]["location"] == url
    assert f'weather = {{ registry = "{url}" }}' in (agent / "pyproject.toml").read_text()
    evil = make_registry(tmp_path / "evil", PackageSpec(name="weather", version="9.0.0"))
    both = ("--registry", str(evil), "--no-index", "--json")
    kept = harnest("extensions", "upgrade", "weather", *both, cwd=agent, **variables)
    assert [item["version"] for item in kept.json["extensions"]] == ["1.0.0"]
    make_registry(
        mine,
        PackageSpec(name="weather", version="1.0.0"),
        PackageSpec(name="weather", version="1.2.0"),
    )
    offer_registry(server, mine)
    newer = {"XDG_CACHE_HOME": str(tmp_path / "cold")}
    took = harnest("extensions", "upgrade", "weather", "--no-index", "--json", cwd=agent, **newer)
    assert [item["version"] for item in took.json["extensions"]] == ["1.2.0"]


def test_a_registry_in_a_folder_is_locked_relative_to_the_project(
    harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """A clone beside the same registry finds it, and the lock has no absolute path."""
    make_registry(tmp_path / "mine", PackageSpec(name="weather"))
    looking = ("--registry", "../mine", "--no-index", "--json")
    assert harnest("extensions", "install", "weather", *looking, cwd=agent).code == 0
    lock = (agent / "harnest-extensions.lock").read_text()
    assert str(tmp_path) not in lock
    assert 'location = "../mine"' in lock
    (agent / "harnest-extensions.lock").unlink()
    again = harnest("extensions", "lock", "--no-index", "--json", cwd=agent)
    assert again.code == 0, again.stdout
    assert (agent / "harnest-extensions.lock").read_text() == lock
    shutil.rmtree(agent / "extensions")
    synced = harnest("extensions", "sync", "--frozen", "--no-index", "--json", cwd=agent)
    assert synced.code == 0, synced.stdout
    assert harnest("extensions", "verify", cwd=agent).code == 0


def test_the_network_is_asked_for_nothing_that_is_here(harnest: Command, agent: Path) -> None:
    """Official extensions come from the product itself, with --offline and an unusable index."""
    dead = ("--offline", "--index-url", "http://127.0.0.1:9/simple", "--json")
    done = harnest("extensions", "install", "process", *dead, cwd=agent)
    assert done.code == 0, done.stdout
    assert done.json["extensions"][0]["source"]["kind"] == "registry"
    refused = harnest("extensions", "install", "nowhere_to_be_found", *dead, cwd=agent)
    assert refused.code in {1, 4}
    assert refused.error["kind"] in {"offline", "not-found"}


def test_a_name_of_the_product_comes_from_an_index_only_when_insisted_on(
    harnest: Command, agent: Path, tmp_path: Path, server: Server
) -> None:
    """--index-only is written down, so that a later lock insists on it as well."""
    index = SimpleIndex(server)
    _offer(index, tmp_path / "wheels", "process", "99.0.0")
    variables = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "UV_INDEX_URL": index.url}
    variables["PIP_INDEX_URL"] = index.url
    plain = harnest("extensions", "install", "process", "--json", cwd=agent, **variables)
    assert plain.json["extensions"][0]["source"]["kind"] == "registry"
    insisting = ("--index-only", "process", "--upgrade", "--json", "--accept-capabilities")
    other = harnest("extensions", "install", "process", *insisting, cwd=agent, **variables)
    assert other.code == 0, other.stdout
    assert other.json["extensions"][0]["version"] == "99.0.0"
    assert "process = { index = true }" in (agent / "pyproject.toml").read_text()
    (agent / "harnest-extensions.lock").unlink()
    again = harnest("extensions", "lock", "--json", cwd=agent, **variables)
    assert [item["version"] for item in again.json["extensions"]] == ["99.0.0"]
