"""Extensions that the environment brings, beside and without a project."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from harnest_ext.distributions import installed_extensions
from harnest_ext.errors import LoadError
from harnest_ext.runtime import AgentRuntime
from tests.support.environments import editable_by_finder, editable_by_path, install_wheel
from tests.support.projects import SANDBOX_FILE, echo_extension, extension, installed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.packages import PackageSpec

INSTALLERS = [install_wheel, editable_by_path, editable_by_finder]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An empty folder of a Python path."""
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def runtime_of(project: Path, site: Path, **options: object) -> AgentRuntime:
    """Return a runtime that sees what one folder of the path brings."""
    return AgentRuntime(project, environment=installed_extensions([str(site)]), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("install", INSTALLERS)
def test_an_installed_distribution_serves_a_project(
    tmp_path: Path, site: Path, install: Callable[[Path, PackageSpec], Path]
) -> None:
    """However it was installed, it is ``harnest.extensions.<name>`` from its own folder."""
    folder = install(site, echo_extension())
    source = SANDBOX_FILE.format(name="python", timeout=60)
    project = installed(tmp_path, sandboxes={"python": source})
    with runtime_of(project, site) as runtime:
        module = importlib.import_module("harnest.extensions.echo")
        assert module.__file__ == str(folder / "extension.py")
        assert list(runtime.running.catalog.declared) == ["python"]


def test_the_projects_copy_wins(tmp_path: Path, site: Path) -> None:
    """The environment's release of the same extension is shadowed, with a note."""
    install_wheel(site, extension("alpha", version="9.0.0"))
    project = installed(tmp_path, [extension("alpha", version="1.0.0")])
    with runtime_of(project, site) as runtime:
        assert runtime.running.active.candidate("alpha").version == "1.0.0"  # type: ignore[union-attr]
        assert [note.rule for note in runtime.notes] == ["load.shadowed"]


@pytest.mark.parametrize(
    "spec",
    [
        extension("broken", "    raise ValueError"),
        extension("broken", requires=("absent",)),
        extension("broken", harnest=">=2"),
        extension("broken", files={"extension.yaml": "{: no"}),
    ],
    ids=["raises", "requirement", "host", "manifest"],
)
def test_a_broken_distribution_that_nobody_asked_for_stops_nothing(
    tmp_path: Path, site: Path, spec: PackageSpec
) -> None:
    """What the environment alone brings is left out with the reason; the project runs."""
    install_wheel(site, spec)
    with runtime_of(installed(tmp_path, [extension("alpha")]), site) as runtime:
        assert list(runtime.running.active.loaded) == ["alpha"]
        assert list(runtime.running.active.plan.skipped) == ["broken"]


def test_a_broken_distribution_that_the_project_requires_stops_it(
    tmp_path: Path, site: Path
) -> None:
    """Then it was asked for."""
    install_wheel(site, extension("broken", "    raise ValueError"))
    project = installed(tmp_path, [extension("alpha", requires=("broken",))])
    with pytest.raises(LoadError, match="'broken'"):
        runtime_of(project, site).start()


def test_a_requirement_may_come_from_the_environment(tmp_path: Path, site: Path) -> None:
    """A project's extension and a distribution satisfy each other's requirements."""
    install_wheel(site, extension("base"))
    project = installed(tmp_path, [extension("alpha", requires=("base>=1,<2",))])
    with runtime_of(project, site) as runtime:
        assert list(runtime.running.active.loaded) == ["base", "alpha"]
