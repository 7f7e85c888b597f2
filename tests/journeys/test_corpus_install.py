"""Every package, folder, archive and argument of the handed corpus, installed for real."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.cli.extensions.lookup import LookupOptions
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.manager.install import InstallOptions, install
from harnest_ext.manager.lookup import LateLookup
from harnest_ext.manager.setting import Setting
from harnest_ext.sources import classify
from harnest_ext.store import Project, installed_view
from tests.support.commands import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.corpus

CORPUS = Path(os.environ.get("HARNEST_CORPUS", ""))


def _cases(*kinds: str) -> list[Any]:
    index = CORPUS / "index.json"
    if not os.environ.get("HARNEST_CORPUS") or not index.is_file():
        return [pytest.param(None, marks=pytest.mark.skip("HARNEST_CORPUS names no corpus"))]
    cases = json.loads(index.read_text())["cases"]
    return [pytest.param(case, id=case["id"]) for case in cases if case["how"] in kinds]


@contextmanager
def _watched(agent: Path, trip: Path) -> Iterator[None]:
    """Nothing of a package runs, no secret is copied, and nothing escapes."""
    secret = (CORPUS / "canary" / "SECRET.txt").read_bytes().strip()
    outside = sorted(path.name for path in agent.parent.iterdir())
    yield
    assert not trip.exists(), trip.read_text()
    assert sorted(path.name for path in agent.parent.iterdir()) == outside
    for path in agent.rglob("*"):
        assert "ESCAPED" not in path.name
        assert not path.is_file() or secret not in path.read_bytes()


def _setting(agent: Path, *, find_links: tuple[Path, ...] = (), host: str = "1.0.0") -> Setting:
    options = LookupOptions(find_links=find_links, no_index=True, offline=True)
    project = Project.at(agent)
    return Setting(
        project=project,
        lookup=LateLookup(lambda: options.lookup(project)),
        host=Host(harnest_version=host),
        wait=0,
    )


@pytest.fixture
def trip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that a package's code would append to."""
    path = tmp_path / "trip" / "wire"
    path.parent.mkdir()
    monkeypatch.setenv("CORPUS_TRIPWIRE", str(path))
    return path


@pytest.mark.parametrize("case", _cases("wheel", "dir", "sdist"))
def test_a_package_is_installed_or_refused_as_it_deserves(
    case: dict[str, str], agent: Path, trip: Path, corpus: Callable[[str], Path]
) -> None:
    """Valid packages are there afterwards; others leave the project byte for byte as it was."""
    if os.geteuid() == 0 and "run as non-root" in case["what"]:
        pytest.skip("root can read files of mode 000")
    before = snapshot(agent)
    source = str(corpus(case["file"]))
    with _watched(agent, trip):
        if case["expected"] == "accept":
            report = install(_setting(agent), [source], InstallOptions(), agent)
            found = installed_view(Project.at(agent)).extensions.values()
            assert [change.action.value for change in report.changes] == ["installed"]
            assert {item.state.value for item in found} == {"ok"}
            return
        with pytest.raises(HarnestExtensionError) as caught:
            install(_setting(agent), [source], InstallOptions(), agent)
        message = str(caught.value)
        # What breaks a rule by its size alone may be told as that.
        assert caught.value.kind in {case["error"] or caught.value.kind, "too-large"}, message
        assert len(message.encode()) <= 4096
        assert caught.value.rule
        assert caught.value.remedy
        assert "Traceback" not in message
    assert snapshot(agent) == before


@pytest.mark.parametrize("case", _cases("wheelset"))
def test_a_set_of_wheels_is_resolved_as_its_scenario_says(
    case: dict[str, str], agent: Path, trip: Path, corpus: Callable[[str], Path]
) -> None:
    """From a folder of wheels alone, exactly the selected releases are installed, or none."""
    folder = corpus(case["file"])
    scenario = json.loads((folder / "scenario.json").read_text())
    setting = _setting(agent, find_links=(folder,), host=scenario["harnest"])
    before = snapshot(agent)
    with _watched(agent, trip):
        if scenario["expected"] == "accept":
            install(setting, scenario["install"], InstallOptions(), agent)
            lock = installed_view(Project.at(agent)).lock
            found = {name: entry.version for name, entry in lock.entries.items()}
            assert scenario["selected"] in (found, None)
            return
        with pytest.raises(HarnestExtensionError) as caught:
            install(setting, scenario["install"], InstallOptions(), agent)
        assert caught.value.kind == scenario["error"]
    assert snapshot(agent) == before


@pytest.mark.parametrize("case", _cases("entry"))
def test_an_argument_is_understood_or_refused(
    case: dict[str, str], agent: Path, corpus: Callable[[str], Path]
) -> None:
    """What a user may type after `install` parses, or is refused by its kind, changing nothing."""
    name, _, number = case["file"].partition("#")
    text = json.loads(corpus(name).read_text())[int(number)]["text"]
    before = snapshot(agent)
    if case["expected"] == "accept":
        classify(text, agent)
        return
    with pytest.raises(HarnestExtensionError) as caught:
        install(_setting(agent), [text], InstallOptions(), agent)
    assert caught.value.kind == case["error"], str(caught.value)
    assert snapshot(agent) == before
