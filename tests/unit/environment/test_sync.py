"""The Python requirements of an agent and its extensions, solved by the real uv on a real index."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest_ext.cli.main import run
from harnest_ext.environment import SyncOptions, sync
from harnest_ext.environment.report import PackageChange
from harnest_ext.environment.standing import check_standing, own_requirements
from harnest_ext.errors import (
    IncompatibleExtension,
    InvalidExtension,
    SourceError,
    UsageError,
)
from harnest_ext.store.project import Project
from tests.support.packages import PackageSpec, make_agent, make_wheel
from tests.support.simple_index import SimpleIndex
from tests.support.web import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.commands import Command
    from tests.support.web import Server

UV = Path(sys.executable).with_name("uv")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uv keeps what it gets for this test alone, and reads no configuration of this machine."""
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    with serve() as running:
        yield running


@pytest.fixture
def index(server: Server) -> SimpleIndex:
    """An index with two versions of one library, and what Harnest itself requires of nobody."""
    made = SimpleIndex(server)
    made.add_library("common", "1.0")
    made.add_library("common", "2.0")
    return made


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An empty virtual environment."""
    folder = tmp_path / "venv"
    subprocess.run([UV, "venv", "-q", "--python", sys.executable, folder], check=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Project]:
    """Make an agent project with extensions that require ordinary packages."""

    def make(dependencies: str = "", **extensions: str) -> Project:
        folder = make_agent(tmp_path)
        (folder / "pyproject.toml").write_text(
            f'[project]\nname = "demo"\nversion = "1"\ndependencies = [{dependencies}]\n'
        )
        for name, requirement in extensions.items():
            spec = PackageSpec(name=name, dependencies=(requirement,))
            wheel = make_wheel(tmp_path / "wheels", spec)
            assert run(["extensions", "install", str(wheel), "--project", str(folder)]) == 0
        return Project.at(folder)

    return make


def installed(venv: Path) -> dict[str, str]:
    """Return the packages of an environment."""
    command = [UV, "pip", "freeze", "-q", "--python", venv / "bin" / "python"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split("==") for line in text.split())


def test_everything_is_solved_together_locked_and_installed(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """One version satisfies the agent and both extensions; the lock states a hash for each file."""
    index.add_library("extra", "1.0", ["common"])
    agent = project('"harnest>=1", "extra"', left="common>=1", right="common<2")
    report = sync(agent, SyncOptions(python=venv, index_url=index.url))
    assert installed(venv) == {"common": "1.0", "extra": "1.0"}
    assert [str(change.name) for change in report.changes] == ["common", "extra"]
    assert {demand.owner for demand in report.demands} == {
        "the agent",
        "extension left 1.0.0",
        "extension right 1.0.0",
    }
    lock = tomllib.loads(report.lock.read_text())
    assert lock["lock-version"] == "1.0"
    assert {package["name"] for package in lock["packages"]} == {"common", "extra"}
    assert all(w["hashes"]["sha256"] for package in lock["packages"] for w in package["wheels"])
    assert lock["tool"]["harnest"]["requirements"] == ["common<2", "common>=1", "extra"]


def test_a_second_time_nothing_changes(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """The lock keeps its bytes and its versions, a newer release notwithstanding."""
    agent = project(left="common")
    first = sync(agent, SyncOptions(python=venv, index_url=index.url))
    data = first.lock.read_bytes()
    index.add_library("common", "3.0")
    again = sync(agent, SyncOptions(python=venv, index_url=index.url))
    assert (again.changes, again.lock_changed) == ((), False)
    assert first.lock.read_bytes() == data
    newer = sync(agent, SyncOptions(python=venv, index_url=index.url, upgrade=True))
    assert newer.changes == (PackageChange(name="common", version="3.0", previous="2.0"),)


def test_a_conflict_names_the_extensions_on_both_sides(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """Only those that exclude each other are named, each with its requirement; nothing changes."""
    agent = project(left="common<2", third="common", right="common>=2")
    with pytest.raises(IncompatibleExtension) as caught:
        sync(agent, SyncOptions(python=venv, index_url=index.url))
    assert caught.value.kind == "resolution-conflict"
    text = str(caught.value)
    assert "extension left 1.0.0 requires common<2" in text
    assert "extension right 1.0.0 requires common>=2" in text
    assert "third" not in text
    assert len(text.splitlines()) <= 12
    assert installed(venv) == {}
    assert not (agent.root / "pylock.harnest.toml").exists()


def test_a_conflict_with_harnest_names_harnest(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """What the running Harnest requires bounds the solution, wherever it is installed."""
    index.add_library("click", "1.0")
    with pytest.raises(IncompatibleExtension) as caught:
        sync(project(left="click<2"), SyncOptions(python=venv, index_url=index.url))
    assert "extension left 1.0.0 requires click<2" in str(caught.value)
    assert "Harnest 1.0.0 requires click>=8.1" in str(caught.value)


def test_nothing_is_removed_and_harnest_is_not_touched(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """What is there beside stays; Harnest is installed from nowhere, whoever requires it."""
    index.add_library("bystander", "1.0")
    index.add_library("harnest", "9.9")
    index.add_library("needy", "1.0", ["harnest", "common"])
    python = venv / "bin" / "python"
    before = [UV, "pip", "install", "-q", "--python", python, "bystander", "common==1.0"]
    subprocess.run([*before, "--index-url", index.url], check=True)
    agent = project('"harnest"', left="needy", right="common>=2")
    report = sync(agent, SyncOptions(python=venv, index_url=index.url))
    assert installed(venv) == {"bystander": "1.0", "common": "2.0", "needy": "1.0"}
    assert PackageChange(name="common", version="2.0", previous="1.0") in report.changes


def test_a_dry_run_tells_and_changes_nothing(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """The changes are those that would be made; neither lock nor environment is written."""
    report = sync(
        project(left="common<2"), SyncOptions(python=venv, index_url=index.url, dry_run=True)
    )
    assert report.changes == (PackageChange(name="common", version="1.0"),)
    assert (report.lock_changed, report.lock.exists(), installed(venv)) == (True, False, {})


def test_frozen_installs_the_lock_and_refuses_a_stale_one(
    project: Callable[..., Project], index: SimpleIndex, venv: Path
) -> None:
    """Without a lock, and with one of other requirements, it is refused by name."""
    agent = project(left="common<2")
    frozen = SyncOptions(python=venv, index_url=index.url, frozen=True)
    with pytest.raises(InvalidExtension) as caught:
        sync(agent, frozen)
    assert caught.value.rule == "env.lock-missing"
    sync(agent, SyncOptions(python=venv, index_url=index.url))
    assert sync(agent, frozen).changes == ()
    pyproject = agent.root / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("[]", '["common>=1"]'))
    with pytest.raises(InvalidExtension) as caught:
        sync(agent, frozen)
    assert (caught.value.rule, caught.value.expected) == ("env.lock-stale", "common>=1")


def test_a_file_that_is_not_the_locked_one_is_not_installed(
    project: Callable[..., Project], index: SimpleIndex, server: Server, venv: Path
) -> None:
    """A wheel that was exchanged after it was locked is refused by its hash."""
    agent = project(left="common<2")
    sync(agent, SyncOptions(python=venv, index_url=index.url, dry_run=True))
    lock = agent.root / "pylock.harnest.toml"
    sync(agent, SyncOptions(python=venv, index_url=index.url))
    text = lock.read_text()
    digest = text.partition('sha256 = "')[2][:64]
    lock.write_text(text.replace(digest, "0" * 64))
    subprocess.run(
        [UV, "pip", "uninstall", "-q", "--python", venv / "bin" / "python", "common"], check=True
    )
    with pytest.raises(SourceError) as caught:
        sync(agent, SyncOptions(python=venv, index_url=index.url, frozen=True))
    assert "Hash mismatch" in str(caught.value)
    assert installed(venv) == {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("<<<<<<< HEAD\n", "env.lock"),
        ('lock-version = "1.0"\n', "env.lock"),
        ('packages = [{name = "x", version = "1"}]\n', "env.lock"),
        ('packages = [{name = "x", directory = {path = "."}}]\n', "env.lock"),
        ('packages = [{name = "x", wheels = [{url = "u", hashes = {}}]}]\n', "env.hash-missing"),
        ('packages = [{name = "harnest", wheels = []}]\n', "env.host-owned"),
        ('packages = [{name = "Harnest_Extension.x", wheels = []}]\n', "env.host-owned"),
    ],
)
def test_a_lock_that_cannot_be_trusted_is_refused(
    project: Callable[..., Project], venv: Path, text: str, rule: str
) -> None:
    """Conflict markers, entries without hashes, folders, and what Harnest owns."""
    agent = project()
    (agent.root / "pylock.harnest.toml").write_text(text)
    with pytest.raises(InvalidExtension) as caught:
        sync(agent, SyncOptions(python=venv, frozen=True))
    assert caught.value.rule == rule


def test_an_externally_managed_python_is_refused_with_the_way_out(
    project: Callable[..., Project], tmp_path: Path
) -> None:
    """A Python of the system is left alone; a dry run may still look."""
    program = tmp_path / "python"
    told = {"executable": "/x/python", "prefix": "/x", "version": "3.11.1", "managed": True}
    program.write_text(f"#!/bin/sh\necho '{json.dumps(told)}'\n")
    program.chmod(0o755)
    with pytest.raises(IncompatibleExtension) as caught:
        sync(project(), SyncOptions(python=program))
    assert caught.value.rule == "env.externally-managed"
    assert "venv" in caught.value.remedy


@pytest.mark.parametrize("name", ["no-such-python", "not-python"])
def test_what_is_no_python_is_refused(
    project: Callable[..., Project], tmp_path: Path, name: str
) -> None:
    """A path that leads to nothing or to another program is a wrong option."""
    program = tmp_path / "not-python"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    with pytest.raises(UsageError) as caught:
        sync(project(), SyncOptions(python=tmp_path / name))
    assert caught.value.rule == "env.interpreter"


def test_credentials_of_the_index_are_not_shown_or_locked(
    project: Callable[..., Project], index: SimpleIndex, server: Server, venv: Path
) -> None:
    """Neither the lock nor a refusal holds the password."""
    secret = index.url.replace("//", "//user:hush-hush@")
    report = sync(project(left="common"), SyncOptions(python=venv, index_url=secret))
    assert "hush" not in report.lock.read_text()
    server.routes.clear()
    with pytest.raises((SourceError, IncompatibleExtension)) as caught:
        sync(
            Project.at(report.lock.parent),
            SyncOptions(python=venv, index_url=secret.replace("/simple", "/none"), upgrade=True),
        )
    assert "hush" not in str(caught.value)


def test_what_harnest_stands_on_is_not_broken() -> None:
    """A version that something below Harnest excludes is refused, one that it accepts is not."""
    assert any(text.startswith("click") for text in own_requirements())
    with pytest.raises(IncompatibleExtension) as caught:
        check_standing([PackageChange(name="pydantic-core", version="0.1")])
    assert caught.value.rule == "env.host-changed"
    check_standing([PackageChange(name="click", version="8.99")])
    check_standing([PackageChange(name="unrelated", version="1.0")])


def test_through_the_command_line(
    project: Callable[..., Project], index: SimpleIndex, venv: Path, harnest: Command
) -> None:
    """The command answers in one JSON object, installs, and refuses a conflict with exit code 1."""
    agent = project(left="common<2")
    options = ("--python", venv, "--index-url", index.url, "--json")
    done = harnest("env", "sync", agent.root, *options, cwd=agent.root.parent)
    assert done.code == 0, done.stderr
    assert done.json["changes"] == [{"name": "common", "version": "1.0", "previous": ""}]
    assert done.json["lock_changed"] is True
    pyproject = agent.root / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("[]", '["common>=2"]'))
    refused = harnest("env", "sync", *options, cwd=agent.root)
    assert refused.code == 1
    assert refused.error["kind"] == "resolution-conflict"
    assert installed(venv) == {"common": "1.0"}


def test_frozen_and_upgrade_exclude_each_other(harnest: Command, agent: Path) -> None:
    """A command that can't do both does neither, and says so."""
    done = harnest("env", "sync", "--frozen", "--upgrade", "--json", cwd=agent)
    assert (done.code, done.error["kind"]) == (2, "usage")
