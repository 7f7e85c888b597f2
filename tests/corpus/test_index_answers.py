"""The corpus of index answers, served on loopback beside the wheel that the valid ones describe."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.settings import IndexSetting, SourceSettings
from tests.support.commands import snapshot
from tests.support.web import answer, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.commands import Command
    from tests.support.web import Server

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not os.environ.get("HARNEST_CORPUS"), reason="HARNEST_CORPUS does not name a corpus"
    ),
]

TYPES = {".json": "application/vnd.pypi.simple.v1+json", ".html": "text/html"}


def cases() -> list[dict[str, Any]]:
    """Return the index answers of the corpus; none where there is no corpus."""
    corpus = os.environ.get("HARNEST_CORPUS", "")
    if not corpus:
        return []
    listed = json.loads(Path(corpus, "index.json").read_text())["cases"]
    return [case for case in listed if case["how"] == "registry"]


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with the wheel, but no page yet."""
    (wheel,) = Path(os.environ["HARNEST_CORPUS"], "control", "deflated").glob("*.whl")
    with serve() as running:
        running.routes[f"/{wheel.name}"] = answer(wheel.read_bytes(), "application/octet-stream")
        yield running


def offer(server: Server, case: dict[str, Any]) -> str:
    """Serve a case as the project's page and return the index's URL."""
    path = Path(os.environ["HARNEST_CORPUS"], case["file"])
    body = path.read_bytes().replace(b"https://files.example", server.url.encode())
    server.routes["/simple/harnest-extension-demo/"] = answer(body, TYPES[path.suffix])
    return f"{server.url}/simple/"


def look_up(url: str, cache: Path) -> Path | HarnestExtensionError:
    """Return the wheel that the index leads to, or what it is refused with."""
    request = ResolutionRequest(wanted=(ExtensionRequirement.parse("demo"),))
    index = IndexSetting(url=url, told_by="test")
    with Finder(SourceSettings(index=index, cache=cache)) as finder:
        try:
            (chosen,) = resolve(request, finder).selected.values()
            return finder.fetch(chosen.candidate)
        except HarnestExtensionError as error:
            return error


@pytest.mark.parametrize("case", cases(), ids=lambda case: Path(case["file"]).name)
def test_an_answer_is_judged_as_expected(
    case: dict[str, Any], server: Server, tmp_path: Path
) -> None:
    """A valid answer leads to the wheel; every other one is refused by its kind."""
    found = look_up(offer(server, case), tmp_path)
    if case["expected"] == "accept":
        assert isinstance(found, Path)
        assert f"/{found.name}" in server.paths
        return
    assert isinstance(found, HarnestExtensionError)
    assert found.kind == case["error"]
    assert found.remedy
    assert len(str(found).encode()) <= 4096
    if found.kind != "hash-mismatch":
        assert set(server.paths) <= {"/simple/harnest-extension-demo/", "/simple/demo/"}


@pytest.mark.parametrize("case", cases(), ids=lambda case: Path(case["file"]).name)
def test_an_answer_through_the_command_line(
    case: dict[str, Any], server: Server, harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """What is valid is installed; a refusal leaves the project as it was and starts no code."""
    before = snapshot(agent)
    arguments = ["extensions", "install", "demo", "--project", agent, "--json"]
    done = harnest(
        *arguments,
        "--index-url",
        offer(server, case),
        cwd=agent,
        XDG_CACHE_HOME=str(tmp_path / "cache"),
        CORPUS_TRIPWIRE=str(tmp_path / "tripwire"),
    )
    assert not (tmp_path / "tripwire").exists()
    if case["expected"] == "accept":
        assert done.code == 0, done.stdout
        assert (agent / "extensions" / "demo" / "extension.yaml").is_file()
    else:
        assert done.code in {1, 4}
        assert done.error["kind"] == case["error"]
        assert snapshot(agent) == before
