"""The corpus of requirement graphs: wheels in a folder, and what must be chosen of them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.sources import NamedSource, classify
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.settings import SourceSettings
from tests.support.commands import snapshot

if TYPE_CHECKING:
    from tests.support.commands import Command

pytestmark = pytest.mark.corpus

CPU_SECONDS = 5.0
"""What the hardest graph may take."""


def graphs() -> list[Path]:
    """Return the folders of graphs; none where there is no corpus."""
    corpus = os.environ.get("HARNEST_CORPUS", "")
    return sorted(path.parent for path in Path(corpus, "graph").glob("*/scenario.json")) * bool(
        corpus
    )


def answered(
    request: ResolutionRequest, settings: SourceSettings
) -> tuple[dict[str, str] | None, str, str]:
    """Return the chosen versions; or None, and kind and text of the refusal."""
    try:
        answer = resolve(request, Finder(settings))
    except HarnestExtensionError as error:
        return None, error.kind, str(error)
    return {slug: item.candidate.version for slug, item in answer.selected.items()}, "", ""


@pytest.mark.skipif(
    not os.environ.get("HARNEST_CORPUS"), reason="HARNEST_CORPUS does not name a corpus"
)
@pytest.mark.parametrize("graph", graphs(), ids=lambda path: path.name)
def test_a_graph_is_answered_as_expected(graph: Path, tmp_path: Path) -> None:
    """The chosen versions are those of the scenario, or the refusal is of its kind."""
    scenario: dict[str, Any] = json.loads((graph / "scenario.json").read_text())
    host = Host(harnest_version=scenario["harnest"])
    sources = [classify(text, tmp_path) for text in scenario["install"]]
    wanted = tuple(s.requirement for s in sources if isinstance(s, NamedSource))
    request = ResolutionRequest(wanted=wanted, host=host)
    # The same work takes more CPU time on processors that others use as well: the least counts.
    for attempt in range(3):
        cache = tmp_path / str(attempt)
        settings = SourceSettings(find_links=(graph,), cache=cache, host=host)
        began = time.process_time()
        chosen, kind, text = answered(request, settings)
        if (seconds := time.process_time() - began) < CPU_SECONDS:
            break
    assert seconds < CPU_SECONDS
    assert kind == scenario["error"]
    if scenario["selected"] is not None:
        assert chosen == scenario["selected"]
    assert len(text.splitlines()) <= 10 + len(scenario["install"])


@pytest.mark.skipif(
    not os.environ.get("HARNEST_CORPUS"), reason="HARNEST_CORPUS does not name a corpus"
)
@pytest.mark.parametrize("graph", graphs(), ids=lambda path: path.name)
def test_a_graph_through_the_command_line(graph: Path, harnest: Command, agent: Path) -> None:
    """For this Harnest: the choice in JSON, or the kind of the refusal and an unchanged project."""
    scenario: dict[str, Any] = json.loads((graph / "scenario.json").read_text())
    if scenario["harnest"] != Host().harnest_version:
        pytest.skip("the scenario is for another Harnest, which only the interface can name")
    before = snapshot(agent)
    where = ("--find-links", graph, "--no-index", "--json", "--dry-run")
    done = harnest("extensions", "install", *scenario["install"], *where, cwd=agent)
    if scenario["expected"] == "accept":
        assert done.code == 0, done.stdout
        chosen = {item["name"]: item["version"] for item in done.json["extensions"]}
        assert scenario["selected"] in (None, chosen)
    else:
        assert done.error["kind"] == scenario["error"]
    assert snapshot(agent) == before
