"""The environment that runs Harnest gets what extensions require, and Harnest stays as it is."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import PackageSpec, make_wheel
from tests.support.simple_index import SimpleIndex
from tests.support.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.commands import Command
    from tests.support.installation import Installation

pytestmark = pytest.mark.slow


@pytest.fixture
def index() -> Iterator[SimpleIndex]:
    """An index with a library of its own, and an old version of something that Harnest requires."""
    with serve() as server:
        made = SimpleIndex(server)
        made.add_library("harmless", "1.0")
        made.add_library("harnest", "9.0")
        made.add_library("click", "7.0")
        yield made


def freeze(installation: Installation) -> dict[str, str]:
    """Return every package of the installation's environment."""
    code = (
        "import importlib.metadata as m, json\n"
        "print(json.dumps({d.name: d.version for d in m.distributions()}))"
    )
    command = [installation.python, "-I", "-c", code]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, str] = json.loads(text)
    return found


def test_the_environment_of_harnest_is_added_to_and_nothing_else(
    installation: Installation, index: SimpleIndex, agent: Path, tmp_path: Path
) -> None:
    """Requirements come in, the conflicting ones are refused, Harnest and its own stay."""
    installed = installation.harnest
    variables = {
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "UV_NO_CONFIG": "1",
        "UV_DEFAULT_INDEX": index.url,
    }
    before = freeze(installation)
    wheel = make_wheel(tmp_path, PackageSpec(name="left", dependencies=("harmless",)))
    assert installed("extensions", "install", wheel, cwd=agent).code == 0
    done = installed("env", "sync", cwd=agent, **variables)
    assert done.code == 0, done.stderr
    assert "installed harmless 1.0" in done.stdout
    assert freeze(installation) == before | {"harmless": "1.0"}

    wheel = make_wheel(tmp_path, PackageSpec(name="right", dependencies=("click<8",)))
    assert installed("extensions", "install", wheel, cwd=agent).code == 0
    refused = installed("env", "sync", "--json", cwd=agent, **variables)
    assert refused.code == 1
    assert refused.error["kind"] == "resolution-conflict"
    assert "extension right 1.0.0 requires click<8" in refused.error["details"]
    assert freeze(installation) == before | {"harmless": "1.0"}
    _uninstall(installation, "harmless")


def _uninstall(installation: Installation, name: str) -> None:
    """Leave the shared environment as it was found."""
    uv = installation.folder / "bin" / "uv"
    command = [uv, "pip", "uninstall", "--quiet", "--python", installation.python, name]
    subprocess.run(command, check=True)


def test_without_a_project_it_is_told(installed: Command, tmp_path: Path) -> None:
    """There is nothing to synchronise outside of an agent project."""
    done = installed("env", "sync", "--json", cwd=tmp_path)
    assert (done.code, done.error["kind"]) == (1, "project-not-found")
